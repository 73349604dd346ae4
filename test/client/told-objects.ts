import { onTestFinished } from 'vitest'
import type { ClientOptions, GameServer, SidecarClient, SidecarError } from '../../src/index.js'
import { createScriptedSidecar } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { opened } from '../support/fault-server-steps.js'
import { connectClient } from '../support/with-sidecar.js'

/** Another object than all the others, so it is news after any of them. */
const end = gameServer(1, 'End')
end.object_meta.uid = 'end'

/**
 * Lets a watch send these results, and then one that ends the test. Resolves with what listeners were told between. Reads
 * are answered with the first, or they would tell something else.
 */
export async function tellAll(
  results: readonly [GameServer, ...unknown[]],
  listen: (client: SidecarClient) => void = () => {},
  options: ClientOptions = {},
): Promise<{ told: GameServer[]; errors: SidecarError[] }> {
  const sidecar = await createScriptedSidecar([
    {
      on: 'watch',
      step: opened(async (exchange) => {
        for (const result of [...results, end]) await exchange.sendText(JSON.stringify({ result }))
        sidecar.publish(end)
        await exchange.connection.gone
      }),
    },
  ])
  onTestFinished(() => sidecar.close())
  sidecar.publish(results[0])
  const client = connectClient(sidecar, { watch: 'websocket', verifyInterval: 0, ...options })
  const told: GameServer[] = []
  const errors: SidecarError[] = []
  const isOver = (): boolean => client.gameServer?.object_meta.uid === end.object_meta.uid
  client.on('error', (error) => {
    if (!isOver()) errors.push(error)
  })
  client.on('gameserver', (gameServer) => {
    if (!isOver()) told.push(gameServer)
  })
  listen(client)
  await client.waitFor(isOver)
  client.close()
  return { told, errors }
}
