import { describe, expect, test, vi } from 'vitest'
import { trackPlayers, type Players } from '../../src/players/index.js'
import { calls, connectClient, startSidecar } from '../support/with-sidecar.js'
import type { SidecarClient } from '../../src/index.js'
import type { LocalSidecar } from '../../src/node/index.js'

const gameServer = {
  status: { state: 'Ready', lists: { players: { capacity: 3, values: [] } } },
  spec: { health: { disabled: true } },
}

const PATIENCE = { timeout: 20_000 }

async function play(): Promise<{
  sidecar: LocalSidecar
  client: SidecarClient
  players: Players
  values(): readonly string[]
}> {
  const sidecar = await startSidecar({ gameServer, mode: 'production' })
  sidecar.control({ type: 'setClock', speed: 20 })
  const client = connectClient(sidecar)
  const players = trackPlayers(client)
  return {
    sidecar,
    client,
    players,
    values: () => sidecar.sidecar.snapshot().gameServer.status.lists?.['players']?.values ?? [],
  }
}

describe('players over sockets', () => {
  test('a join costs one call, a promised one none, a leave one', async () => {
    const { sidecar, players, values } = await play()
    expect(await players.join('ann')).toBe('joined')
    sidecar.sidecar.control({ type: 'allocate', lists: { players: { addValues: ['bob'] } } })
    await vi.waitFor(() => expect(players.expected).toEqual(['bob']), PATIENCE)
    expect(await players.join('bob')).toBe('expected')
    expect(values()).toEqual(['ann', 'bob'])
    expect(await players.leave('ann')).toBe('left')
    await vi.waitFor(() => expect(values()).toEqual(['bob']), PATIENCE)
    expect(calls(sidecar).filter((operation) => /List/.test(operation))).toEqual(['addListValue', 'removeListValue'])
  })

  test.each([true, false])('a join whose answer is dropped (carried out: %s) has its seat once', async (apply) => {
    const { sidecar, client, players, values } = await play()
    await vi.waitFor(() => expect(client.gameServer).toBeDefined(), PATIENCE)
    sidecar.sidecar.control({ type: 'failCalls', operations: ['addListValue'], drop: true, apply, count: 1 })
    expect(await players.join('ann')).toBe('joined')
    expect(values()).toEqual(['ann'])
    expect(players.ids).toEqual(['ann'])
  })

  test('after a kill of the sidecar list and game agree', async () => {
    const { sidecar, players, values } = await play()
    await players.join('ann')
    const join = players.join('bob')
    await players.leave('ann')
    sidecar.sidecar.control({ type: 'restart', downMs: 100 })
    expect(await join).toBe('joined')
    await vi.waitFor(() => expect(values()).toEqual(['bob']), PATIENCE)
    expect(players.ids).toEqual(['bob'])
  })
})
