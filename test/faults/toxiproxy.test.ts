import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ClientOptions } from '../../src/index.js'
import { createLocalSidecar, type LocalSidecar } from '../../src/node.js'
import { difficultText } from '../support/game-server.js'
import { findToxiproxy, startToxiproxy, type Toxic, type ToxicProxy, type Toxiproxy } from '../support/toxiproxy.js'
import { observe, type Observed } from './observe.js'

const binary = findToxiproxy()
if (binary === undefined) {
  console.warn('SKIPPED: no test ran through a real proxy, as toxiproxy-server is not installed: .ci/install-toxiproxy')
}

const modes = ['websocket', 'stream', 'auto'] as const
let toxiproxy: Toxiproxy

interface Stage extends Observed {
  sidecar: LocalSidecar
  proxy: ToxicProxy
  /** Changes the GameServer and resolves when a listener has got exactly this change. */
  tell(text: string): Promise<void>
  told(text: string): Promise<void>
  change(text: string): void
}

/** A client on one side of a proxy and a local sidecar on the other, healthy and connected. */
async function through(
  options: ClientOptions & { watch: (typeof modes)[number] },
  play: (stage: Stage) => Promise<void>,
): Promise<void> {
  const sidecar = await createLocalSidecar()
  const proxy = await toxiproxy.proxyTo(sidecar.port)
  const observed = observe({ ...options, baseUrl: proxy.url })
  const texts = (): (string | undefined)[] =>
    observed.gameServers.map(({ object_meta }) => object_meta.annotations?.['text'])
  const change = (value: string): void => void sidecar.control({ type: 'setAnnotation', key: 'text', value })
  const told = (text: string): Promise<void> => observed.until(() => texts().includes(text), `the text ${text}`)
  try {
    await observed.until(() => observed.client.status.connection === 'connected', 'a connection')
    await play({
      ...observed,
      sidecar,
      proxy,
      change,
      told,
      tell(text) {
        change(text)
        return told(text)
      },
    })
    await proxy.clear()
    await proxy.setDown(false)
    change('the end')
    await told('the end')
    // Whatever happened, listeners got each text once, in the order in which the texts were set.
    const seen = texts().filter((text, index, all) => text !== undefined && text !== all[index - 1])
    expect(seen).toEqual([...new Set(seen)])
    const versions = observed.gameServers.map(({ object_meta }) => Number(object_meta.resource_version))
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b))
    expect(observed.errors).toEqual([])
  } finally {
    observed.client.close()
    await sidecar.close()
  }
}

const poisoned =
  (...toxics: Toxic[]) =>
  async ({ proxy, tell, client }: Stage): Promise<void> => {
    for (const toxic of toxics) await proxy.add(toxic)
    await tell(difficultText)
    await client.setLabel('through', 'the-proxy')
    await tell('and again')
  }

describe.skipIf(binary === undefined)('with a real proxy between client and sidecar', () => {
  beforeAll(async () => {
    toxiproxy = await startToxiproxy(binary ?? '')
  })
  afterAll(() => toxiproxy?.close())

  describe.concurrent.each(modes)('over %s', (watch) => {
    test('the watch loses no change to latency and jitter', () =>
      through({ watch }, poisoned({ type: 'latency', attributes: { latency: 200, jitter: 150 } })))

    test('the watch is exact in segments of one or two bytes', () =>
      through({ watch }, poisoned({ type: 'slicer', attributes: { average_size: 2, size_variation: 1, delay: 100 } })))

    test('the watch is complete at 4 kB a second', () =>
      through({ watch }, poisoned({ type: 'bandwidth', attributes: { rate: 4 } })))

    test('a proxy that swallows all bytes is noticed, and the current object is delivered afterwards', () =>
      through({ watch, verifyInterval: 500, timeout: 1000 }, async ({ proxy, change, client, until, told }) => {
        await proxy.add({ type: 'timeout', attributes: { timeout: 0 } })
        change('swallowed')
        await until(() => client.status.connection === 'reconnecting', 'the loss to be noticed')
        await proxy.clear()
        await told('swallowed')
      }))

    test('the watch recovers from resets', () =>
      through({ watch }, async ({ proxy, change, client, until, told }) => {
        // This toxic resets open connections when data flows, which the change causes.
        await proxy.add({ type: 'reset_peer', attributes: { timeout: 0 } })
        change('reset')
        await until(() => client.status.connection === 'reconnecting', 'the loss to be noticed')
        await proxy.clear()
        await told('reset')
      }))

    test('connections that break after 900 bytes never deliver half an object', () =>
      through({ watch, verifyInterval: 500 }, async ({ proxy, change, client, until, told }) => {
        await proxy.add({ type: 'limit_data', attributes: { bytes: 900 } })
        change('cut ' + 'x'.repeat(2000))
        await until(() => client.status.connection === 'reconnecting', 'the loss to be noticed')
        await proxy.clear()
        await told('cut ' + 'x'.repeat(2000))
      }))

    test('no change is lost when the proxy goes down and comes back', () =>
      through({ watch }, async ({ proxy, change, client, until, told }) => {
        await proxy.setDown(true)
        await until(() => client.status.connection === 'reconnecting', 'the loss to be noticed')
        change('while down')
        await proxy.setDown(false)
        await told('while down')
      }))

    test('the watch recovers from a restart of the sidecar behind the proxy', () =>
      through({ watch }, async ({ sidecar, tell }) => {
        await sidecar.restart()
        await tell('after the restart')
      }))
  })
})
