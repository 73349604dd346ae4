import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ClientOptions, SidecarClient } from '../../src/index.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import type { ScriptedSidecar } from '../support/fault-server.js'
import { collectUncaught } from '../support/uncaught.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'

afterEach(() => vi.unstubAllGlobals())

async function connected(options: ClientOptions = {}): Promise<{ client: SidecarClient; sidecar: ScriptedSidecar }> {
  const sidecar = await startScripted()
  const client = connectClient(sidecar, { verifyInterval: 0, ...options })
  await client.waitFor('Ready')
  await sidecar.until(() => sidecar.followers === 1, 'the watch')
  return { client, sidecar }
}

/** Lets every listener hear of a change of the state. */
async function change(client: SidecarClient, sidecar: ScriptedSidecar, version: number, state: string): Promise<void> {
  sidecar.publish(gameServer(version, state))
  await client.waitFor(({ object_meta }) => object_meta.resource_version === String(version))
}

describe('off() removes', () => {
  test('the listener of that event, and not of another', async () => {
    const { client, sidecar } = await connected()
    const listener = vi.fn()
    client.on('gameserver', listener as never)
    client.on('state', listener as never)
    await new Promise(setImmediate)
    listener.mockClear()
    client.off('state', listener as never)
    await change(client, sidecar, 2, 'Allocated')
    expect(listener.mock.calls).toEqual([[gameServer(2, 'Allocated')]])
  })

  test('that listener, and not another', async () => {
    const { client, sidecar } = await connected()
    const [first, second] = [vi.fn(), vi.fn()]
    client.on('state', first)
    client.on('state', second)
    await new Promise(setImmediate)
    client.off('state', second)
    client.off('state', () => {})
    await change(client, sidecar, 2, 'Allocated')
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([2, 1])
  })

  test('one that was added with a context where none is given, and none of another context', async () => {
    const { client, sidecar } = await connected()
    const [a, b] = [{ name: 'a' }, { name: 'b' }]
    const contexts: unknown[] = []
    function listener(this: unknown): void {
      contexts.push(this)
    }
    client.on('state', listener, a)
    client.on('state', listener, b)
    client.off('state', listener, {})
    client.off('state', listener, b)
    await change(client, sidecar, 2, 'Allocated')
    expect(contexts).toEqual([a, a])
    client.off('state', listener)
    await change(client, sidecar, 3, 'Ready')
    expect(contexts).toEqual([a, a])
  })

  test('one of two that are the same', async () => {
    const { client, sidecar } = await connected()
    const listener = vi.fn()
    client.on('state', listener)
    client.on('state', listener)
    await new Promise(setImmediate)
    listener.mockClear()
    client.off('state', listener)
    await change(client, sidecar, 2, 'Allocated')
    expect(listener).toHaveBeenCalledTimes(1)
  })
})

describe('who listens late', () => {
  test('and leaves at once is told nothing, neither of now nor later', async () => {
    const { client, sidecar } = await connected()
    const listener = vi.fn()
    client.on('state', listener)()
    await change(client, sidecar, 2, 'Allocated')
    expect(listener).not.toHaveBeenCalled()
  })

  test('is told of now once, and then of each change', async () => {
    const { client, sidecar } = await connected()
    const states: string[] = []
    client.on('state', ({ state }) => void states.push(state))
    await change(client, sidecar, 2, 'Allocated')
    expect(states).toEqual(['Ready', 'Allocated'])
  })
})

test('who was removed by a listener before it is not called any more', async () => {
  const { client, sidecar } = await connected()
  const second = vi.fn()
  client.on('state', ({ state }) => {
    if (state === 'Allocated') client.off('state', second)
  })
  client.on('state', second)
  await new Promise(setImmediate)
  second.mockClear()
  await change(client, sidecar, 2, 'Allocated')
  expect(second).not.toHaveBeenCalled()
})

test('who listens and closes at once is told nothing', async () => {
  const { client } = await connected()
  const listener = vi.fn()
  client.on('state', listener)
  client.close()
  await new Promise(setImmediate)
  expect(listener).not.toHaveBeenCalled()
})

test('nobody is told anything after close() but that it is closed', async () => {
  const { client } = await connected()
  const listener = vi.fn()
  const states: string[] = []
  client.on('state', listener)
  client.on('connection', ({ state }) => void states.push(state))
  await new Promise(setImmediate)
  listener.mockClear()
  client.close()
  await new Promise(setImmediate)
  expect(listener).not.toHaveBeenCalled()
  expect(states).toEqual(['closed'])
})

describe('an error that happens by itself', () => {
  const unhealthy = async (options: ClientOptions, listen: (client: SidecarClient) => void): Promise<void> => {
    const { client, sidecar } = await connected({ random: () => 0, ...options })
    listen(client)
    sidecar.play([{ on: 'watch', step: (exchange) => exchange.reply({ status: 404 }) }])
    const failed = new Promise<void>((resolve) => {
      client.on('connection', ({ state }) => {
        if (state === 'failed') resolve()
      })
    })
    await sidecar.stop()
    await sidecar.start()
    await failed
  }

  test('is logged where nobody listens to errors', async () => {
    const warn = vi.fn()
    await unhealthy({ logger: { warn } }, () => {})
    expect(warn.mock.calls).toEqual([[expect.stringContaining('HTTP 404')]])
  })

  test('is told to who listens to errors, and not logged', async () => {
    const [warn, listener] = [vi.fn(), vi.fn()]
    await unhealthy({ logger: { warn } }, (client) => client.on('error', listener))
    expect(listener.mock.calls).toMatchObject([[{ code: 'PROTOCOL', operation: 'watchGameServer', status: 404 }]])
    expect(warn).not.toHaveBeenCalled()
  })

  test('needs no logger, nor one that takes warnings', async () => {
    await unhealthy({ logger: {} }, () => {})
    await unhealthy({}, () => {})
  })
})

describe('what a listener throws goes', () => {
  const fault = new Error('a bug of the game')
  const failing = async (options: ClientOptions): Promise<void> => {
    const { client } = await connected(options)
    client.on('state', () => {
      throw fault
    })
    await new Promise(setImmediate)
  }

  test('to the logger, and nowhere else', async () => {
    const [error, reportError] = [vi.fn(), vi.fn()]
    vi.stubGlobal('reportError', reportError)
    await failing({ logger: { error } })
    expect(error.mock.calls).toEqual([[fault]])
    expect(reportError).not.toHaveBeenCalled()
  })

  test('to the host where the logger takes no errors', async () => {
    const reportError = vi.fn()
    vi.stubGlobal('reportError', reportError)
    await failing({ logger: {} })
    expect(reportError.mock.calls).toEqual([[fault]])
  })

  test('where every error goes that nobody catches, if the host has no other way', async () => {
    const uncaught = collectUncaught()
    vi.stubGlobal('reportError', undefined)
    await failing({})
    await new Promise(setImmediate)
    expect(uncaught).toEqual([fault])
  })
})
