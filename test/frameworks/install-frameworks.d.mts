export function installFrameworks(): void
