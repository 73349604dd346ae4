import vm from 'node:vm'
import { parse } from 'acorn'
import { describe, expect, test } from 'vitest'
import { read } from '../support/source.js'

const GLOBAL = 'GameServerSidecar'
const builds = ['umd', 'iife'] as const
const code = (build: (typeof builds)[number]): string => read(`dist/gameserver-sidecar.${build}.js`)

/** The global of a context that has nothing but the language, after `source` ran there. */
function run(source: string, globals: Record<string, unknown> = {}): Record<string, unknown> {
  const context = vm.createContext(globals)
  vm.runInContext(source, context)
  return context
}

const exportNames = (value: unknown): string[] => Object.keys(value as object).sort()
const isTheClient = (value: unknown): boolean =>
  typeof (value as { createClient?: unknown } | undefined)?.createClient === 'function'

describe('script builds', () => {
  test.each(builds)('%s is ES2017 throughout', (build) => {
    expect(() => parse(code(build), { ecmaVersion: 2017, sourceType: 'script' })).not.toThrow()
  })

  test('newer syntax would be noticed', () => {
    for (const newer of ['a?.b', 'class A { b = 1 }', '1n', 'a ?? b', 'async function* f() {}', '({ ...a })']) {
      expect(() => parse(newer, { ecmaVersion: 2017, sourceType: 'script' })).toThrow(SyntaxError)
    }
  })

  test.each(builds)('%s makes the global where there is nothing but the language', (build) => {
    expect(run(code(build))[GLOBAL]).toSatisfy(isTheClient)
  })

  test('all have the same exports', () => {
    const [first, ...others] = builds.map((build) => exportNames(run(code(build))[GLOBAL]))
    for (const names of others) expect(names).toEqual(first)
  })

  test.each(builds)('%s leaves nothing else in the global scope', (build) => {
    expect(Object.keys(run(code(build)))).toEqual([GLOBAL])
  })

  test.each(builds)('%s can be joined with a script that begins with a bracket', (build) => {
    expect(run(`${code(build)}\n(function () { this.next = 1 })()`)['next']).toBe(1)
  })

  test.each(builds)('%s keeps the global in a plugin wrapper that hides CommonJS and AMD', (build) => {
    expect(run(`(function (module, exports, define) {\n${code(build)}\n})()`)[GLOBAL]).toSatisfy(isTheClient)
  })

  test.each(builds)('%s keeps the global in a strict function without this', (build) => {
    expect(run(`(function () { 'use strict';\n${code(build)}\n}).call(undefined)`)[GLOBAL]).toSatisfy(isTheClient)
  })
})

describe('UMD', () => {
  test('gives itself to CommonJS', () => {
    const module = { exports: {} }
    const context = run(code('umd'), { module, exports: module.exports })
    expect(module.exports).toSatisfy(isTheClient)
    expect(context).not.toHaveProperty(GLOBAL)
  })

  test('gives itself to AMD', () => {
    const exports = {}
    const define = Object.assign((_names: string[], factory: (target: object) => void) => factory(exports), { amd: {} })
    run(code('umd'), { define })
    expect(exports).toSatisfy(isTheClient)
  })
})

describe('IIFE', () => {
  test('sets its global where CommonJS leaks into the page', () => {
    const module = { exports: {} }
    expect(run(code('iife'), { module, exports: module.exports })[GLOBAL]).toSatisfy(isTheClient)
    expect(module.exports).toEqual({})
  })

  test('sets its global where an AMD loader is present', () => {
    const define = Object.assign(
      () => {
        throw new Error('AMD was used')
      },
      { amd: {} },
    )
    expect(run(code('iife'), { define })[GLOBAL]).toSatisfy(isTheClient)
  })

  test.each(['self', 'window', 'global'])('finds the global object of a host without globalThis as %s', (name) => {
    const wrapped = `(function () { 'use strict';\n${code('iife')}\n}).call(undefined)`
    expect(run(`var ${name} = this; delete this.globalThis;\n${wrapped}`)[GLOBAL]).toSatisfy(isTheClient)
  })
})
