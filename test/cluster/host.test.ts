import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { buildGame } from '../../demo/browser/build.mjs'
import { noBrowser } from '../host/support/processes.js'
import { runHost, type HostProcess } from '../host/support/run-host.js'
import { startCluster, type Cluster } from './support/cluster.js'
import { describeUnless } from '../support/describe-unless.js'
import { joinMatch, type Player } from '../support/arena-player.js'
import { missing } from './support/api.js'
import type { Sidecar } from './support/sidecar.js'

describeUnless(
  [...missing, ...(noBrowser === undefined ? [] : [noBrowser])],
  "the demo's page in a host on a cluster",
  () => {
    let cluster: Cluster
    let game: { readonly dir: string; remove(): Promise<void> }

    beforeAll(async () => {
      game = await buildGame()
      cluster = await startCluster(2)
    })
    afterAll(async () => {
      await cluster?.close()
      await game?.remove()
    })

    interface Hosted {
      readonly name: string
      readonly sidecar: Sidecar
      readonly host: HostProcess
      /** Lets the pod go, as the kubelet does once the game has ended. */
      readonly letGo: () => void
    }

    /** A GameServer that is played by the page, once it is Ready. Its pod is kept until the test lets it go. */
    async function hosted(): Promise<Hosted> {
      const { name, sidecar } = await cluster.take()
      const letGo = cluster.hold(name)
      onTestFinished(async () => {
        await sidecar.kill()
        letGo()
        await cluster.remove(name)
      })
      const host = runHost([game.dir, '--sidecar', sidecar.url, '--auto-health'])
      await host.until('listening')
      // As in a pod, the game may be there before its sidecar.
      await sidecar.start()
      await cluster.when(name, 'Ready', ({ status }) => status.state === 'Ready')
      return { name, sidecar, host, letGo }
    }

    async function join(host: HostProcess, name: string): Promise<Player> {
      const { players } = await host.until('listening')
      return joinMatch(players.replace('0.0.0.0', '127.0.0.1'), name)
    }

    it('plays a match from the allocation to the deletion', async () => {
      const { name, host, letGo } = await hosted()
      const player = await join(host, 'ann')
      await cluster.when(name, 'told of ann', ({ status }) => status.lists?.['roster']?.values?.[0] === 'ann')

      const answer = await cluster.allocate({ metadata: { annotations: { 'star-arena/seconds': '10' } } })
      expect(answer).toMatchObject({ state: 'Allocated', gameServerName: name })
      await host.until('console', ({ text }) => text === 'The match begins: 10 s')
      await player.scored
      await player.heard('over')

      const { metadata } = await cluster.when(
        name,
        'deleted',
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      )
      expect(metadata.labels).toMatchObject({ 'agones.dev/sdk-map': 'harbour' })
      expect(metadata.annotations).toMatchObject({ 'agones.dev/sdk-winner': 'ann' })
      host.signal('SIGTERM')
      expect(await host.exited).toBe(0)
      expect(await player.closed).toBe(1001)
      letGo()
      await expect.poll(() => cluster.gameServer(name), PATIENT).toBeUndefined()
      expect((await cluster.take()).name).not.toBe(name)
    })
  },
)

const PATIENT = { timeout: 60_000 }
