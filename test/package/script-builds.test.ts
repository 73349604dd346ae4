import vm from 'node:vm'
import { parse } from 'acorn'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { read, root } from '../support/source.js'

const GLOBAL = 'GameServerSidecar'
const code = read('dist/gameserver-sidecar.umd.js')

/** The global of a context that has nothing but the language, after `source` ran there. */
function run(source: string, globals: Record<string, unknown> = {}): Record<string, unknown> {
  const context = vm.createContext(globals)
  vm.runInContext(source, context)
  return context
}

/** What ES2017 itself brings. */
const LANGUAGE = `Infinity NaN undefined eval isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI
  encodeURIComponent escape unescape Object Function Boolean Symbol Error EvalError RangeError ReferenceError
  SyntaxError TypeError URIError Number Math Date String RegExp Array Int8Array Uint8Array Uint8ClampedArray Int16Array
  Uint16Array Int32Array Uint32Array Float32Array Float64Array Map Set WeakMap WeakSet ArrayBuffer SharedArrayBuffer
  Atomics DataView JSON Promise Reflect Proxy Intl`.split(/\s+/)

/** Its own name, and what a script asks for with `typeof` to find its place in the host. */
const PROBES_OF_THE_HOST = ['GameServerSidecar', 'module', 'define', 'globalThis']

/** The attributes of the script element can be read only while the script is being evaluated. */
const OWN_SCRIPT_ELEMENT = ['document', 'globalThis.document']

/**
 * Evaluates a script and records every free name and every property of the global object that it reads. Each of them is
 * undefined, as in a host that lacks it.
 */
function namesTouchedBy(script: string): string[] {
  const touched = new Set<string>()
  const record = (prefix: string) => ({
    has: () => true,
    get: (target: Record<PropertyKey, unknown>, name: PropertyKey): unknown => {
      if (typeof name === 'symbol') return undefined
      touched.add(prefix + name.toString())
      return target[name]
    },
  })
  const language = vm.runInNewContext(`({ ${LANGUAGE.filter((name) => name !== 'eval').join(', ')} })`) as object
  const globalObject = new Proxy({ ...language }, record('globalThis.'))
  const scope = new Proxy({ ...language, globalThis: globalObject }, record(''))
  vm.runInNewContext(`with (scope) {\n${script}\n}`, { scope })
  return [...touched]
}

const beyond = (names: string[], allowed: string[]): string[] => {
  const known = new Set([...LANGUAGE, ...LANGUAGE.map((name) => `globalThis.${name}`), 'scope', ...allowed])
  return names.filter((name) => !known.has(name)).sort()
}

const isTheClient = (value: unknown): boolean =>
  typeof (value as { createClient?: unknown } | undefined)?.createClient === 'function'

describe('the script', () => {
  test.each(['umd', 'players.umd', 'phaser'])('gameserver-sidecar.%s.js is ES2017 throughout', (name) => {
    const script = read(`dist/gameserver-sidecar.${name}.js`)
    expect(() => parse(script, { ecmaVersion: 2017, sourceType: 'script' })).not.toThrow()
  })

  test('defines its one global in a bare V8 context, and no other', () => {
    const context = run(code)
    expect(context[GLOBAL]).toSatisfy(isTheClient)
    expect(Object.keys(context)).toEqual([GLOBAL])
  })

  test.each([
    ['joined with a script that begins with a bracket', `${code}\n(function () { this.next = 1 })()`],
    ['in a plugin wrapper that hides CommonJS and AMD', `(function (module, exports, define) {\n${code}\n})()`],
    ['in a strict function without this', `(function () { 'use strict';\n${code}\n}).call(undefined)`],
  ])('makes the global %s', (_where, source) => {
    expect(run(source)[GLOBAL]).toSatisfy(isTheClient)
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

  test('evaluated, touches nothing that a host may lack', () => {
    expect(beyond(namesTouchedBy(code), [...PROBES_OF_THE_HOST, ...OWN_SCRIPT_ELEMENT])).toEqual([])
  })
})

describe('a module', () => {
  test.each(['dist/index.browser.js', 'dist/index.core.js', 'dist/frames.js'])(
    '%s, evaluated, touches nothing that a host may lack',
    async (path) => {
      const { outputFiles } = await build({
        ...{ entryPoints: [`${root}/${path}`], bundle: true, write: false, format: 'iife', globalName: 'evaluated' },
        external: ['isomorphic-ws'],
      })
      expect(beyond(namesTouchedBy(outputFiles[0]!.text), ['globalThis', ...OWN_SCRIPT_ELEMENT])).toEqual([])
    },
  )

  test('a touch would be noticed', () => {
    const touched = namesTouchedBy(
      'var a = typeof fetch; function later() { return console }; a = globalThis.setTimeout',
    )
    expect(beyond(touched, ['globalThis'])).toEqual(['fetch', 'globalThis.setTimeout'])
  })
})

describe('the script of players and sessions', () => {
  const players = read('dist/gameserver-sidecar.players.umd.js')

  test('loaded after the client’s script, defines its global and throws the client’s errors', () => {
    const context = vm.createContext({})
    vm.runInContext(code, context)
    vm.runInContext(players, context)
    expect(Object.keys(context).sort()).toEqual(['GameServerSidecar', 'GameServerSidecarPlayers'])
    const program = `
      var client = GameServerSidecar.createClient({ baseUrl: 'http://127.0.0.1:1', scheduler: false })
      var tracked = GameServerSidecarPlayers.trackPlayers(client, {})
      var caught
      try { GameServerSidecarPlayers.trackPlayers(client, { capacity: 0 }) } catch (error) { caught = error }
      tracked.close()
      client.close()
      caught instanceof GameServerSidecar.SidecarError && caught.code`
    expect(vm.runInContext(program, context)).toBe('CONFIG')
  })
})

describe('the script of Phaser’s plugin', () => {
  const plugin = read('dist/gameserver-sidecar.phaser.js')

  test('makes the plugin class a global with nothing but the language, and names a script that is missing', () => {
    const context = vm.createContext({})
    vm.runInContext(plugin, context)
    expect(Object.keys(context)).toEqual(['GameServerSidecarPlugin'])
    expect(() => vm.runInContext('new GameServerSidecarPlugin({})', context)).toThrow(/needs the global Phaser/)
    vm.runInContext('Phaser = { Plugins: { BasePlugin: function (manager) { this.game = manager.game } } }', context)
    expect(() => vm.runInContext('new GameServerSidecarPlugin({ game: {} }).init()', context)).toThrow(
      /needs the global GameServerSidecar:/,
    )
  })
})
