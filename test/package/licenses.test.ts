import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { read, root } from '../support/source.js'
import { bundledLibraries } from './bundled-libraries.js'

test('third-party-licenses.txt lists every bundled library with the version that was bundled', () => {
  const bundled = bundledLibraries()
  const chunks = readdirSync(`${root}/dist/chunks`).flatMap((name) => /^vendor-(.+)\.js$/.exec(name)?.[1] ?? [])
  expect(chunks.length).toBeGreaterThan(0)
  const libraries = Object.keys(bundled).map((name) => name.replace(/^@([^/]+)\/.*$/, '$1'))
  expect(libraries).toEqual(expect.arrayContaining(chunks))
  for (const [name, version] of Object.entries(bundled)) {
    expect(`${name} ${(JSON.parse(read(`node_modules/${name}/package.json`)) as { version: string }).version}`).toBe(
      `${name} ${version}`,
    )
  }
})

test('and has the terms of each', () => {
  const text = read('dist/third-party-licenses.txt')
  for (const [name, version] of Object.entries(bundledLibraries())) {
    expect(text).toMatch(new RegExp(`^${name} ${version.replaceAll('.', '\\.')}, .+$`, 'm'))
  }
})
