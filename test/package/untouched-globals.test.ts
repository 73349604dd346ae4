import vm from 'node:vm'
import { rollup } from 'rollup'
import { describe, expect, test } from 'vitest'
import { read, root } from '../support/source.js'

/** What ES2017 itself brings. */
const LANGUAGE = `Infinity NaN undefined eval isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI
  encodeURIComponent escape unescape Object Function Boolean Symbol Error EvalError RangeError ReferenceError
  SyntaxError TypeError URIError Number Math Date String RegExp Array Int8Array Uint8Array Uint8ClampedArray Int16Array
  Uint16Array Int32Array Uint32Array Float32Array Float64Array Map Set WeakMap WeakSet ArrayBuffer SharedArrayBuffer
  Atomics DataView JSON Promise Reflect Proxy Intl`.split(/\s+/)

/** Its own name, and what a script asks for with `typeof` to find its place in the host. */
const PROBES_OF_THE_HOST = ['GameServerSidecar', 'module', 'define', 'globalThis', 'self', 'window', 'global']

/** The attributes of the script element can be read only while the script is being evaluated. */
const OWN_SCRIPT_ELEMENT = ['document', 'globalThis.document']

/**
 * Evaluates a script where every free name is recorded, and every property asked of the global object too. Hosts lack
 * what the script asks for, so all of it is undefined there.
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

async function asScript(modulePath: string): Promise<string> {
  const bundle = await rollup({ input: `${root}/${modulePath}` })
  const { output } = await bundle.generate({ format: 'iife', name: 'evaluated', exports: 'named' })
  return output[0].code
}

describe('evaluating the package touches nothing a host may lack', () => {
  test('the script', () => {
    const touched = namesTouchedBy(read('dist/gameserver-sidecar.umd.js'))
    expect(beyond(touched, [...PROBES_OF_THE_HOST, ...OWN_SCRIPT_ELEMENT])).toEqual([])
  })

  test.each(['dist/index.browser.js', 'dist/index.core.js', 'dist/frames.js'])('%s', async (path) => {
    expect(beyond(namesTouchedBy(await asScript(path)), ['globalThis', ...OWN_SCRIPT_ELEMENT])).toEqual([])
  })

  test('a touch would be noticed', () => {
    const touched = namesTouchedBy(
      'var a = typeof fetch; function later() { return console }; a = globalThis.setTimeout',
    )
    expect(beyond(touched, ['globalThis'])).toEqual(['fetch', 'globalThis.setTimeout'])
  })
})
