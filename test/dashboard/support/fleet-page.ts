import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import type { Beats } from '../../../src/platform/fleet/view.js'
import { createFleetDashboard } from '../../../src/local/fleet/fleet-dashboard.js'
import { createGuardedServer } from '../../../src/local/http/guarded-server.js'
import { createGuard } from '../../../src/local/http/request-guard.js'
import { isDashboard } from '../../../src/local/sidecar/dashboard-route.js'
import { writeResponse } from '../../../src/local/sidecar/http-adapter.js'
import { createTestFleet, type TestFleet, type TestFleetOptions } from '../../fleet/support/test-fleet.js'

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
  const dashboard = createFleetDashboard(fleet.model, beatsOf)
  const { server, sockets } = createGuardedServer({
    guard: createGuard({ isPage: isDashboard }),
    onFault(error) {
      throw error
    },
    async serve(message, reply, admission) {
      const answer = await dashboard.handle(message, admission)
      await writeResponse(answer ?? new Response(null, { status: 404 }), reply, () => undefined)
    },
    async upgrade(message, socket, head, admission) {
      if (!(await dashboard.upgrade(message, socket, head, admission))) socket.destroy()
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { ...fleet, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
