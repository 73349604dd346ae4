import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { buildIfStale } from '../../build/build-if-stale.mjs'
import { root } from '../support/source.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** A project with one source file. Its build writes two files, and pauses between them while a file `wait` exists. */
async function project(): Promise<string> {
  const folder = await temporaryFolder('build-if-stale')
  mkdirSync(join(folder, 'src'))
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['rollup', '@rollup', '@types']) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'src', 'index.js'), 'export const built = 1')
  writeFileSync(join(folder, 'rollup.config.mjs'), CONFIG)
  return folder
}

const CONFIG = `
  import { appendFileSync, existsSync } from 'node:fs'
  import { setTimeout } from 'node:timers/promises'
  const wait = {
    name: 'wait',
    async buildStart() {
      appendFileSync('builds.log', 'x')
      while (existsSync('wait')) await setTimeout(20)
    },
  }
  const build = (name, plugins) =>
    ({ input: 'src/index.js', plugins, output: { file: process.env.BUILD_DIR + '/' + name + '.js' } })
  export default [build('first'), build('second', [wait])]`

const buildsOf = (folder: string): number =>
  existsSync(join(folder, 'builds.log')) ? readFileSync(join(folder, 'builds.log'), 'utf8').length : 0
/** Starts a build in a process of its own, and kills the process between the two files. */
async function killMidway(folder: string): Promise<void> {
  const before = buildsOf(folder)
  writeFileSync(join(folder, 'wait'), '')
  const url = new URL('../../build/build-if-stale.mjs', import.meta.url).href
  const code = `import { buildIfStale } from '${url}'; await buildIfStale({ root: ${JSON.stringify(folder)} })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: 'ignore', detached: true })
  const ended = once(child, 'close')
  await expect.poll(() => buildsOf(folder)).toBe(before + 1)
  process.kill(-child.pid!, 'SIGKILL')
  await ended
  rmSync(join(folder, 'wait'))
}

describe('build-if-stale', () => {
  test('builds again after a build was killed, which leaves the old files unchanged', async () => {
    const folder = await project()
    await buildIfStale({ root: folder })
    writeFileSync(join(folder, 'src', 'index.js'), 'export const built = 2')
    await killMidway(folder)
    expect(readFileSync(join(folder, 'dist', 'first.js'), 'utf8')).toContain('built = 1')
    await buildIfStale({ root: folder })
    expect(readFileSync(join(folder, 'dist', 'second.js'), 'utf8')).toContain('built = 2')
  })

  test('builds dist if it is missing or a source was removed, and not after one was only touched', async () => {
    const folder = await project()
    writeFileSync(join(folder, 'src', 'other.js'), '')
    await buildIfStale({ root: folder })
    utimesSync(join(folder, 'src', 'other.js'), new Date(), new Date(Date.now() + 1000))
    await buildIfStale({ root: folder })
    expect(buildsOf(folder)).toBe(1)
    rmSync(join(folder, 'src', 'other.js'))
    await buildIfStale({ root: folder })
    expect(buildsOf(folder)).toBe(2)
  })

  test('builds once for two processes that ask at the same time', async () => {
    const folder = await project()
    await Promise.all([buildIfStale({ root: folder }), buildIfStale({ root: folder })])
    expect(buildsOf(folder)).toBe(1)
  })

  test('takes a build for a demo as fresh for demos only, and a whole build as fresh for both', async () => {
    const folder = await project()
    await buildIfStale({ root: folder, target: 'demo' })
    await buildIfStale({ root: folder, target: 'demo' })
    expect(buildsOf(folder)).toBe(1)
    await buildIfStale({ root: folder })
    await buildIfStale({ root: folder, target: 'demo' })
    expect(buildsOf(folder)).toBe(2)
  })
})
