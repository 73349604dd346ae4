import { createRequire } from 'node:module'
import vm from 'node:vm'
import { gzipSync } from 'node:zlib'
import { parse } from 'acorn'
import { minify } from 'terser'
import { describe, expect, test } from 'vitest'
import { read, root } from '../support/source.js'

const adapters = [
  ['phaser', ['createSidecarPlugin', 'installSidecarPlugin']],
  ['cocos', ['createSidecarComponent']],
  ['playcanvas', ['createSidecarScript', 'registerSidecarScript']],
  ['babylon', ['createSidecarObservables']],
] as const
const script = 'dist/gameserver-sidecar.phaser.js'
const LIMIT = 1024

const gzipped = (code: string): number => gzipSync(code, { level: 9 }).length

describe.each(adapters)('./%s', (name, exports) => {
  test('is 1 kB at most beside the client, in an application bundle', async () => {
    const { code } = await minify(read(`dist/${name}.js`), { module: true, ecma: 2020, compress: { passes: 2 } })
    expect(gzipped(code!)).toBeLessThanOrEqual(LIMIT)
  })

  test('imports nothing but the client, by the name that the application uses', () => {
    for (const file of [`dist/${name}.js`, `dist/${name}.cjs`, `dist/${name}.d.cts`]) {
      const specifiers = [...read(file).matchAll(/(?:from ?|require\()['"]([^'"]+)['"]/g)].map(
        ([, specifier]) => specifier,
      )
      expect(specifiers, file).toEqual(['gameserver-sidecar'])
    }
  })

  test('has the same exports for import and require', async () => {
    expect(Object.keys(createRequire(import.meta.url)(`${root}/dist/${name}.cjs`) as object).sort()).toEqual(exports)
    const exported = /export ?\{([^}]*)\}/.exec(read(`dist/${name}.js`))?.[1]
    expect(
      exported
        ?.split(',')
        .map((one) => one.trim().split(' ').at(-1))
        .sort(),
    ).toEqual(exports)
  })
})

describe(script, () => {
  test('is ES2017', () => {
    expect(() => parse(read(script), { ecmaVersion: 2017, sourceType: 'script' })).not.toThrow()
  })

  test('makes the plugin class a global, without Phaser and with nothing but the language', () => {
    const context = vm.createContext({})
    vm.runInContext(read(script), context)
    expect(Object.keys(context)).toEqual(['GameServerSidecarPlugin'])
    expect(context['GameServerSidecarPlugin']).toBeTypeOf('function')
  })

  test('names the script that is missing when it is used', () => {
    const context = vm.createContext({})
    vm.runInContext(read(script), context)
    expect(() => vm.runInContext('new GameServerSidecarPlugin({})', context)).toThrow(/needs the global Phaser/)
    vm.runInContext('Phaser = { Plugins: { BasePlugin: function (manager) { this.game = manager.game } } }', context)
    expect(() => vm.runInContext('new GameServerSidecarPlugin({ game: {} }).init()', context)).toThrow(
      /needs the global GameServerSidecar:/,
    )
  })

  test('is 1,200 bytes at most, readable as it is', () => {
    expect(gzipped(read(script))).toBeLessThanOrEqual(1200)
  })
})
