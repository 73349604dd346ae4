import type { GameServerHost } from './types.js'

/** The `gameServerHost` of the hosted page. Options are for the same file as a program. */
export function createGameServerHost(_options?: unknown): Promise<GameServerHost> {
  const { gameServerHost } = globalThis as { gameServerHost?: GameServerHost }
  if (gameServerHost) return Promise.resolve(gameServerHost)
  const fix = 'run the page by "gameserver-sidecar host", or look for the global gameServerHost first'
  return Promise.reject(new Error(`This page isn't hosted; ${fix}`))
}
