import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installedFolder } from '../support/packed.js'
import { read, root } from '../support/source.js'
import type { TemporaryFolder } from '../support/temporary-folder.js'
import { typeCheck } from '../support/type-check.js'
import { runtimeFile } from './support/runtimes.js'

const NODE_18 = runtimeFile('node-18/bin/node')

describe.skipIf(!NODE_18)('Node 18', () => {
  const run = (...args: string[]) => spawnSync(NODE_18!, args, { cwd: root, encoding: 'utf8' })
  const sentence = /gameserver-sidecar needs Node 20\.19, 22\.12 or later; this is Node 18\.\d+\.\d+\n/

  test('the command says in one line which Node it needs', () => {
    const { status, stdout, stderr } = run('bin/gameserver-sidecar.mjs', 'local')
    expect(stderr).toMatch(new RegExp(`^${sentence.source}$`))
    expect([status, stdout]).toEqual([69, ''])
  })

  test.each(['node', 'vite'])('importing ./%s throws an error that says so', (entry) => {
    expect(run('--input-type=module', '--eval', `import 'gameserver-sidecar/${entry}'`).stderr).toMatch(sentence)
  })
})

const COMPILERS = { 'TypeScript 5.0': runtimeFile('typescript-5.0'), 'the newest TypeScript': 'typescript-native' }

describe('declarations, checked like sources', () => {
  let folder: TemporaryFolder
  beforeAll(async () => {
    folder = await installedFolder()
  })
  afterAll(() => folder.remove())

  const entries = Object.keys((JSON.parse(read('package.json')) as { exports: object }).exports)
    .filter((entry) => entry !== './package.json')
    .map((entry) => entry.replace('.', 'gameserver-sidecar'))
  const imports = entries.map((entry, i) => `import * as entry${i} from '${entry}'\nexport { entry${i} }`).join('\n')
  const required = `import sidecar = require('gameserver-sidecar')
    import AgonesSDK = require('gameserver-sidecar/agones-sdk')
    import type { GameServer } from 'gameserver-sidecar/agones-sdk'
    const sdk: AgonesSDK = new AgonesSDK()
    sdk.watchGameServer(({ status }: GameServer) => void status.state.trim(), () => {})
    export const client = sidecar.createClient({ autoHealth: true })`

  for (const [name, compiler] of Object.entries(COMPILERS)) {
    test.skipIf(!compiler).each([
      ['imports of all entries', 'all.mts', imports],
      ['require() of the client and of agones-sdk', 'required.cts', required],
    ])(`${name} accepts %s`, async (_what, file, code) => {
      const options = { target: 'es2020', lib: ['es2022', 'dom'], module: 'nodenext', skipLibCheck: false }
      const complaints = await typeCheck(
        folder.path,
        new Map([[file, code]]),
        { ...options, types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
        compiler,
      )
      // The types of Node are not ours, and need a newer compiler.
      expect(complaints.filter(({ file }) => !file.includes('@types/'))).toEqual([])
    })
  }
})
