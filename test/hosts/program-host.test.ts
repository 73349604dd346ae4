import { dirname } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hostGuest } from '../host/program/support.js'
import { calls } from '../support/with-sidecar.js'
import { runtimeFile } from './support/runtimes.js'

const runtimes = [
  { runtime: 'node', command: process.execPath },
  { runtime: 'deno', command: runtimeFile('@deno/linux-x64-glibc/deno') },
  { runtime: 'bun', command: runtimeFile('@oven/bun-linux-x64-baseline/bin/bun') },
] as const

describe.each(runtimes)('a program hosted in $runtime', ({ runtime, command }) => {
  const guarantee = test.skipIf(command === undefined)

  const host = (deeds: readonly string[]) => {
    const { PATH } = process.env
    onTestFinished(() => void (process.env['PATH'] = PATH))
    process.env['PATH'] = `${dirname(command!)}:${PATH}`
    return hostGuest(deeds, { runtime, local: { mode: 'local' } })
  }

  guarantee('boots, gets SIGTERM, finishes its work and exits with 0', async () => {
    const game = await host(['greet', 'save', 'ready', 'up', 'stay'])
    await game.printed('up')
    expect(await game.close('SIGTERM')).toMatchObject({ code: 0 })
    expect(game.lines()).toEqual(expect.arrayContaining(['info: hello', 'error: an error', 'info: saved']))
    expect(calls(game.local!)).toEqual(['ready', 'shutdown'])
    expect(game.events.map(({ event }) => event)).toContain('booted')
  })

  guarantee('that throws after ready() ends the host with 70 and the error message', async () => {
    const game = await host(['ready', 'throw'])
    const { code, reason } = await game.exited
    expect(code).toBe(70)
    expect(reason).toContain('the level is missing')
    expect(game.events.filter(({ event }) => event === 'program')).toHaveLength(1)
  })
})
