import { websocketHeaders } from '../../node/support.js'
import { expectServing } from './targets.js'
import type { Victim } from './targets.js'
import { dial, head } from '../../support/wire.js'
import type { Wire } from '../../support/wire.js'

const WATCH_HEADERS = { stream: [], websocket: websocketHeaders } as const

/** The headers that open a watch. */
const watchRequest = ({ at }: Victim, transport: keyof typeof WATCH_HEADERS): string =>
  head(`GET ${at('/watch/gameserver')}`, 'Host: localhost', ...WATCH_HEADERS[transport])

/** A watch that has seen the current object. */
export async function openWatch(victim: Victim, transport: keyof typeof WATCH_HEADERS): Promise<Wire> {
  const wire = await dial(victim.port, watchRequest(victim, transport))
  await wire.saw(/"state":"Ready"/)
  return wire
}

/** Sends requests over new connections, one after the other, until the condition holds. */
export async function askUntil(victim: Victim, holds: () => boolean | Promise<boolean>): Promise<void> {
  do await expectServing(victim)
  while (!(await holds()))
}
