export function installPackages(folder: string, what: string): void
