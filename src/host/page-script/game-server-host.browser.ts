import type { GameServerHost } from './types.js'

/** Returns the `gameServerHost` of the hosted page. The options serve only programs that run the same file. */
export function createGameServerHost(_options?: unknown): Promise<GameServerHost> {
  const { gameServerHost } = globalThis as { gameServerHost?: GameServerHost }
  if (gameServerHost) return Promise.resolve(gameServerHost)
  const fix = 'run the page by "gameserver-sidecar host", or look for the global gameServerHost first'
  return Promise.reject(new Error(`This page isn't hosted; ${fix}`))
}
