/** A command of this package names itself in its User-Agent, so that no local sidecar takes it for the game. */
export const toolAgent = (command: string): string => `gameserver-sidecar-tool/${command}`

/** The command that sent a User-Agent; undefined for all other programs. */
export const toolOf = (agent: string): string | undefined => /^gameserver-sidecar-tool\/([a-z]+)$/.exec(agent)?.[1]
