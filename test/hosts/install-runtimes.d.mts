export function installRuntimes(): void
