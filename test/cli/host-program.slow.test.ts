import { describe, expect, test, vi } from 'vitest'
import { guest, isRunning } from '../host/program/support.js'
import { cli, NO_SIDECAR, startLocal } from './support.js'

const json = (out: string): { event: string; time: string; [field: string]: unknown }[] =>
  out.split('\n').map((line) => JSON.parse(line) as { event: string; time: string })

describe('host --node', () => {
  test('runs a program to its end by a signal: a line for each event, and exit code 0', async () => {
    // The guest's own arguments come last, and those of Node first.
    const options = ['--node-options', '--no-warnings --title=guest']
    const { child, line, finished } = cli([
      ...['host', '--node', guest, '--local', ...options, '--', 'title', 'save', 'ready', 'up', 'stay'],
    ])
    await line(/ title guest$/)
    await line(/ up \d+$/)
    // Other programs, such as `watch`, are told where the local sidecar is.
    const [, url] = await line(/ program .*, the sidecar at (http:\/\/\S+)$/)
    expect((await fetch(`${url!}/gameserver`)).status).toBe(200)
    child.kill('SIGTERM')
    const { code, out, err } = await finished
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const time = /^\d\d:\d\d:\d\d\.\d{3} {2}/
    const lines = out.split('\n')
    expect(lines.every((text) => time.test(text))).toBe(true)
    expect(lines.map((text) => text.replace(time, '').split(' ')[0])).toEqual(
      expect.arrayContaining(['program', 'dashboard', 'booted', 'info', 'shutdown', 'exit']),
    )
  })

  test('with --log-format json prints one object a line, and ends with 70 after a crash', async () => {
    const { finished } = cli(['host', '--node', guest, '--local', '--log-format', 'json', '--restarts', '0', 'throw'])
    const { code, out } = await finished
    expect(code).toBe(70)
    const events = json(out)
    expect(events.every(({ time }) => !Number.isNaN(Date.parse(time)))).toBe(true)
    expect(events.at(-1)).toMatchObject({ event: 'exit', code: 70 })
    expect(events.map(({ event }) => event)).toContain('crash')
  })

  test('finds the sidecar by the environment, and the program gets the same', async () => {
    const local = await startLocal()
    const env = { ...NO_SIDECAR, AGONES_SDK_HTTP_PORT: new URL(local.url).port }
    const { child, line, finished } = cli(['host', '--node', guest, 'ready', 'up', 'stay'], env)
    await line(/ booted /)
    child.kill('SIGINT')
    expect(await finished).toMatchObject({ code: 0 })
  })

  test('a program that is not there is one line and exit code 66', async () => {
    const { code, err } = await cli(['host', '--node', 'no/server.mjs', '--local'], NO_SIDECAR).finished
    expect(code).toBe(66)
    expect(err).toMatch(/^.*no\/server\.mjs.*$/)
  })

  test.skipIf(process.platform === 'win32')('a second signal ends host and program at once', async () => {
    const { child, line, finished } = cli(['host', '--node', guest, '--local', 'stubborn', 'ready', 'up', 'stay'])
    const pid = Number((await line(/ up (\d+)$/))[1])
    child.kill('SIGTERM')
    await line(/not yet/)
    // A signal that npm repeats within a moment doesn't count as a second request.
    await vi.waitFor(
      () => {
        child.kill('SIGTERM')
        expect(child.exitCode ?? child.signalCode).not.toBeNull()
      },
      { timeout: 20_000 },
    )
    expect(await finished).toMatchObject({ code: 128 + 15 })
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 20_000)
  })
})
