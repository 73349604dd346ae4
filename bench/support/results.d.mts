export function saveResults(path: string, measures: Readonly<Record<string, unknown>>): void
