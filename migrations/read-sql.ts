import { readFileSync } from 'node:fs';

/** @param name of a file in this folder, without ".sql" */
export const readSql = (name: string): string => readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8');
