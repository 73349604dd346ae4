/** The game server's page, built into a folder of its own. */
export function buildGame(): Promise<{ readonly dir: string; remove(): Promise<void> }>
