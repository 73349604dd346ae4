import type { GameServer } from '../../protocol/game-server.js'

/** Whether the platform ends this GameServer, or has been told to. */
export const isEnding = ({ object_meta, status }: GameServer): boolean =>
  (object_meta.deletion_timestamp ?? '0') !== '0' || status.state === 'Shutdown' || status.state === 'Unhealthy'
