import { describe, expect, test } from 'vitest'
import { good, searching } from './told-answers.js'

describe('the status of the connection', () => {
  test('follows what calls find out while there is no watch', async () => {
    const { client, answer, pass } = searching({ retry: false })
    const events: string[] = []
    client.on('connection', ({ state }) => void events.push(state))
    answer('refused')
    await client.getGameServer().catch(() => {})
    await client.getGameServer().catch(() => {})
    expect(client.status).toMatchObject({ connection: 'connecting', reason: expect.stringContaining('No answer') })
    answer(good)
    await client.getGameServer()
    await client.getGameServer()
    expect(client.status).toMatchObject({ connection: 'connected', reason: undefined })
    answer('refused')
    await client.getGameServer().catch(() => {})
    await pass(100)
    expect(events).toEqual(['connecting', 'connected', 'reconnecting'])
  })

  test('has the latest reason, and tells of it once', async () => {
    const { client, answer, pass } = searching({ retry: false, timeout: 1000 })
    let events = 0
    client.on('connection', () => void events++)
    await client.getGameServer().catch(() => {})
    expect(client.status.reason).toContain('127.0.0.1')
    answer('never')
    const late = client.getGameServer().catch(() => {})
    await pass(1000)
    await late
    expect(client.status.reason).toContain('1000 ms')
    expect(events).toBe(1)
  })
})

describe('a beat that failed is sent again', () => {
  const beats = { autoHealth: { interval: 5000, worker: false }, retry: false, timeout: 1000 } as const
  const sent = (paths: string[]): number => paths.filter((path) => path === '/health').length

  test('at once when the sidecar answers again', async () => {
    const { client, answer, pass, paths } = searching(beats)
    await pass(100)
    expect(sent(paths)).toBe(1)
    answer(good)
    await client.getGameServer()
    await pass(100)
    expect(sent(paths)).toBe(2)
  })

  test('in its own time where the sidecar answers all the while', async () => {
    const { client, answer, pass, paths } = searching(beats)
    answer((path) => (path === '/health' ? { status: 404 } : good))
    await client.getGameServer()
    await pass(4000)
    const before = sent(paths)
    await client.getGameServer()
    await client.getGameServer()
    await pass(100)
    expect(before).toBeGreaterThan(0)
    expect(sent(paths)).toBe(before)
  })
})
