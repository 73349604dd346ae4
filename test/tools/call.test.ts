import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { callable } from '../../src/cli/commands/call.js'
import { operations, type OperationName } from '../../src/protocol/operations.js'
import { calls, startSidecar } from '../support/with-sidecar.js'
import { run } from './support.js'

/** Each operation as somebody types it, and what is printed. */
const typed: Readonly<Record<Exclude<OperationName, 'watchGameServer'>, readonly [args: string[], out: RegExp]>> = {
  ready: [[], /^\{"outcome":"accepted"\}$/],
  health: [[], /accepted/],
  allocate: [[], /accepted/],
  shutdown: [[], /accepted/],
  reserve: [['30'], /accepted/],
  getGameServer: [[], /^\{"object_meta":\{"name":"local/],
  setLabel: [['mode', 'dm'], /accepted/],
  setAnnotation: [['note', "it's"], /accepted/],
  getCounter: [['rooms'], /^\{"name":"rooms","count":1,"capacity":10\}$/],
  updateCounter: [['rooms', 'countDiff=1', 'capacity=20'], /^\{"name":"rooms","count":2,"capacity":20\}$/],
  getList: [['players'], /^\{"name":"players","capacity":100,"values":\["test0","test1","test2"\]\}$/],
  updateList: [['players', '{"values":["a","b"]}'], /"values":\["a","b"\]/],
  addListValue: [['players', 'bob'], /"bob"/],
  removeListValue: [['players', 'test0'], /"values":\["test1","test2"\]/],
}

describe('call', () => {
  test.each(Object.entries(typed))('%s', async (operation, [args, out]) => {
    const local = await startSidecar({ mode: 'local' })
    const result = await run('call', operation, ...args, '--url', local.url).finished
    expect(result).toMatchObject({ code: 0, err: '' })
    expect(result.out).toMatch(out)
    expect(calls(local)).toContain(operation)
  })

  test('offers every operation but the watch', () => {
    expect([...callable, 'watchGameServer'].sort()).toEqual(Object.keys(operations).sort())
  })

  const curled = ['ready', 'getGameServer', 'setAnnotation', 'updateCounter', 'removeListValue'] as const
  test.each(curled)('%s --curl prints a command that sends the same request', async (operation) => {
    const local = await startSidecar({ mode: 'local' })
    const { code, out } = await run('call', operation, ...typed[operation][0], '--url', local.url, '--curl').finished
    expect(code).toBe(0)
    expect(calls(local)).toEqual([])
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `${out} -o /dev/null -w '%{http_code}'`])
    expect(stdout).toBe('200')
    expect(calls(local)).toEqual([operation])
  })

  test('an integer beyond 2^53 is text', async () => {
    const local = await startSidecar()
    const given = ['call', 'updateCounter', 'rooms', 'capacity=9223372036854775807', '--url', local.url]
    expect((await run(...given).finished).out).toBe('{"name":"rooms","count":1,"capacity":"9223372036854775807"}')
  })

  const mistakes: readonly (readonly [args: readonly string[], sentence: RegExp])[] = [
    [['raedy'], /^There is no operation "raedy"; did you mean "ready"\?$/],
    [[], /^Name one of the operations: ready, health, .*, removeListValue\.$/],
    [['watchGameServer'], /^watchGameServer never ends; use gameserver-sidecar watch --json\.$/],
    [['reserve'], /^reserve takes <seconds>; got none\.$/],
    [['ready', 'now'], /^ready takes no argument; got "now"\.$/],
    [['setLabel', 'mode'], /^setLabel takes <key> and <value>; got "mode"\.$/],
    [['updateCounter', 'rooms'], /^updateCounter takes <key> and an update such as countDiff=1; got "rooms"\.$/],
    [['updateCounter', 'rooms', '{'], /^The update is no JSON: /],
    [['updateCounter', 'rooms', 'one'], /^An update looks like '\{"count":"1"\}' or count=1; got "one"\.$/],
    [['updateCounter', 'rooms', 'cuont=1'], /^INVALID_ARGUMENT updateCounter: There is no field "cuont"/],
    [
      ['reserve', 'soon'],
      /^INVALID_ARGUMENT reserve: seconds must be a safe integer, a bigint or decimal text; got "soon"/,
    ],
    [['setLabel', 'a/b', 'c', '--curl'], /^INVALID_ARGUMENT setLabel: key must be/],
  ]
  test.each(mistakes)('%j is refused before anything is sent, with code 64', async (args, sentence) => {
    const local = await startSidecar()
    const { code, out, err } = await run('call', ...args, '--url', local.url).finished
    expect({ code, out }).toEqual({ code: 64, out: '' })
    expect(err).toMatch(sentence)
    expect(calls(local)).toEqual([])
  })

  test('prints the code and message of a refusal, and ends with 1', async () => {
    const local = await startSidecar()
    const { code, err } = await run('call', 'getCounter', 'nope', '--url', local.url).finished
    expect(code).toBe(1)
    expect(err).toBe('NOT_FOUND getCounter: HTTP 500: counter not found: nope')
  })

  test('ends with 75 where the sidecar answers too late, for reads and writes', async () => {
    const local = await startSidecar()
    local.control({ type: 'delayCalls', ms: 60_000 })
    for (const operation of ['ready', 'getGameServer']) {
      expect((await run('call', operation, '--url', local.url, '--timeout', '0.2').finished).code).toBe(75)
    }
  })
})
