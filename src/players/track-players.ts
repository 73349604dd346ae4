import { SidecarError, type SidecarClient } from '../index.js'
import type { Players, PlayersOptions } from './types.js'

export function trackPlayers(client: Pick<SidecarClient, 'on'>, options: PlayersOptions = {}): Players {
  throw new SidecarError('UNIMPLEMENTED', `Not built yet: ${typeof client}, ${typeof options}`)
}
