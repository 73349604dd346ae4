import vm from 'node:vm'
import { parse } from 'acorn'
import { describe, expect, test } from 'vitest'
import { read } from '../support/source.js'

const GLOBAL = 'GameServerSidecar'
const code = read('dist/gameserver-sidecar.umd.js')

/** The global of a context that has nothing but the language, after `source` ran there. */
function run(source: string, globals: Record<string, unknown> = {}): Record<string, unknown> {
  const context = vm.createContext(globals)
  vm.runInContext(source, context)
  return context
}

const isTheClient = (value: unknown): boolean =>
  typeof (value as { createClient?: unknown } | undefined)?.createClient === 'function'

describe('the script', () => {
  test('is ES2017 throughout', () => {
    expect(() => parse(code, { ecmaVersion: 2017, sourceType: 'script' })).not.toThrow()
  })

  test('newer syntax would be noticed', () => {
    for (const newer of ['a?.b', 'class A { b = 1 }', '1n', 'a ?? b', 'async function* f() {}', '({ ...a })']) {
      expect(() => parse(newer, { ecmaVersion: 2017, sourceType: 'script' })).toThrow(SyntaxError)
    }
  })

  test('makes the global where there is nothing but the language', () => {
    expect(run(code)[GLOBAL]).toSatisfy(isTheClient)
  })

  test('leaves nothing else in the global scope', () => {
    expect(Object.keys(run(code))).toEqual([GLOBAL])
  })

  test('can be joined with a script that begins with a bracket', () => {
    expect(run(`${code}\n(function () { this.next = 1 })()`)['next']).toBe(1)
  })

  test('keeps the global in a plugin wrapper that hides CommonJS and AMD', () => {
    expect(run(`(function (module, exports, define) {\n${code}\n})()`)[GLOBAL]).toSatisfy(isTheClient)
  })

  test('keeps the global in a strict function without this', () => {
    expect(run(`(function () { 'use strict';\n${code}\n}).call(undefined)`)[GLOBAL]).toSatisfy(isTheClient)
  })

  test.each(['self', 'window', 'global'])('finds the global object of a host without globalThis as %s', (name) => {
    const wrapped = `(function () { 'use strict';\n${code}\n}).call(undefined)`
    expect(run(`var ${name} = this; delete this.globalThis;\n${wrapped}`)[GLOBAL]).toSatisfy(isTheClient)
  })

  test('gives itself to CommonJS, and sets the global beside it', () => {
    const module = { exports: {} }
    const context = run(`(function () {\n${code}\n})()`, { module, exports: module.exports })
    expect(module.exports).toSatisfy(isTheClient)
    expect(context[GLOBAL]).toBe(module.exports)
  })

  test('gives itself to AMD, and sets the global beside it', () => {
    let given: unknown
    const define = Object.assign((factory: () => unknown) => (given = factory()), { amd: {} })
    const context = run(`(function () {\n${code}\n})()`, { define })
    expect(given).toSatisfy(isTheClient)
    expect(context[GLOBAL]).toBe(given)
  })

  test('has set the global when an AMD loader refuses a script that it did not ask for', () => {
    const define = Object.assign(
      () => {
        throw new Error('Mismatched anonymous define()')
      },
      { amd: {} },
    )
    const context = vm.createContext({ define })
    expect(() => void vm.runInContext(code, context)).toThrow('Mismatched')
    expect(context[GLOBAL]).toSatisfy(isTheClient)
  })

  test('is what require() gets, under another name', () => {
    expect(read('dist/index.cjs')).toBe(code)
  })
})
