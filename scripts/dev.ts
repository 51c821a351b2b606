import { spawn } from 'node:child_process';

// `npm run dev`. Whatever ends, ends the others. Each has a session of its own, so that Ctrl-C on the terminal reaches
// it once, from here: a second signal would cut the service off before it has stopped its Postgres.
const env = { PUBLIC_URL: 'http://localhost:5173', ...process.env };
const service = "tsx watch --include 'migrations/*/*.sql' src/main.ts start";
const programs = [service, 'vite dashboard --logLevel warn'].map((command) =>
  spawn(`exec ${command}`, { shell: true, stdio: ['ignore', 'inherit', 'inherit'], detached: true, env }),
);

function endAll(): void {
  for (const program of programs) {
    if (!program.killed) {
      program.kill('SIGTERM');
    }
  }
}

for (const program of programs) {
  program.on('exit', endAll);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, endAll);
}
