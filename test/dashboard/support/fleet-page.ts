import { onTestFinished } from 'vitest'
import type { Beats } from '../../../src/platform/fleet/view.js'
import { createFleetServer } from '../../../src/local/fleet/fleet-server.js'
import { createTestFleet, type TestFleet, type TestFleetOptions } from '../../fleet/support/test-fleet.js'
import { listenHere } from '../../support/listen.js'

export interface FleetPage extends TestFleet {
  readonly url: string
}

/** Serves the dashboard of a Fleet that has sidecars and no processes. */
export async function startFleetPage(
  options: TestFleetOptions = {},
  beatsOf: () => Beats | undefined = () => undefined,
): Promise<FleetPage> {
  const fleet = createTestFleet(options)
  fleet.allReady()
  const onFault = (error: unknown): void => {
    throw error
  }
  const { server, close } = createFleetServer({
    ...{ fleet: fleet.model, beatsOf, allowHosts: [], allowOrigins: [], onFault },
  })
  onTestFinished(close)
  return { ...fleet, url: `http://127.0.0.1:${await listenHere(server)}` }
}
