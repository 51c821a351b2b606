/**
 * Imported before all libraries: some ask for the folder in which the program runs as they are loaded, and where it has
 * been removed meanwhile (a deployment that was replaced, a terminal left open) they fail with a stack.
 */
try {
  process.cwd();
} catch {
  process.stderr.write(
    'hookwright: The folder from which this is started is not there any more. Change to one that is (cd), and start it again.\n',
  );
  process.exit(1);
}
