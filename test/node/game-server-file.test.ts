import { mkdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { watchTextFile } from '../../src/node/local/file-watcher.js'
import { loadGameServerFile } from '../../src/node/local/game-server-file.js'
import { temporaryFolder } from '../support/temporary-folder.js'

async function folder(): Promise<string> {
  const path = await temporaryFolder('gameserver-file')
  return path
}

async function load(text: string, name = 'gs.yaml'): ReturnType<typeof loadGameServerFile> {
  const path = join(await folder(), name)
  await writeFile(path, text)
  return loadGameServerFile(path)
}

describe('a GameServer file', () => {
  test('may be YAML', async () => {
    const manifest = await load(
      [
        'apiVersion: agones.dev/v1',
        'kind: GameServer',
        'metadata:',
        '  name: simple',
        '  labels: { map: "007" }',
        'spec:',
        '  health: { periodSeconds: 7 }',
        '  counters: { rooms: { count: 1, capacity: 9007199254740993 } }',
        'status:',
        '  lists: { players: { capacity: 10, values: [a, b] } }',
      ].join('\n'),
    )
    expect(manifest.metadata?.name).toBe('simple')
    expect(manifest.metadata?.labels).toEqual({ map: '007' })
    expect(manifest.spec?.health?.periodSeconds).toBe(7)
    expect(String(manifest.spec?.counters?.['rooms']?.capacity)).toBe('9007199254740993')
    expect(manifest.status?.lists?.['players']?.values).toEqual(['a', 'b'])
  })

  test('may be JSON, whatever its name', async () => {
    const manifest = await load(
      '{"metadata":{"name":"json"},"status":{"counters":{"a":{"count":"9223372036854775807"}}}}',
      'gs.txt',
    )
    expect(manifest.metadata?.name).toBe('json')
    expect(String(manifest.status?.counters?.['a']?.count)).toBe('9223372036854775807')
  })

  test('is its first document', async () => {
    expect((await load('metadata: { name: first }\n---\nmetadata: { name: second }\n')).metadata?.name).toBe('first')
  })

  test.each([
    ['', /holds no usable GameServer: it should be an object/],
    ['just words', /holds no usable GameServer: it should be an object/],
    ['- a\n- b', /holds no usable GameServer: it should be an object/],
    ['kind: Pod\nspec: {}', /holds no usable GameServer: its kind is "Pod"; give a GameServer or a Fleet/],
    ['a: [1, 2', /is neither YAML nor JSON: /],
    ['{"metadata":{"name":"x"}', /is neither YAML nor JSON: /],
    ['metadata:\n\tname: x', /is neither YAML nor JSON: /],
    ['metadata: { labels: { islocal: true } }', /holds no usable GameServer: .*islocal/],
    ['status: { counters: { rooms: { count: many } } }', /holds no usable GameServer: .*rooms/],
    ['metadata: 5', /holds no usable GameServer: .*metadata/],
  ])('that holds %j is refused in one line that names the file', async (text, message) => {
    const refused = load(text)
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toThrow(/^[^\n]*gs\.yaml [^\n]*$/)
  })

  test('that is not there is refused in one line', async () => {
    const path = join(await folder(), 'none.yaml')
    await expect(loadGameServerFile(path)).rejects.toThrow(`Cannot read ${path}: there is no such file`)
  })

  test('that is a folder is refused in one line', async () => {
    const path = await folder()
    await expect(loadGameServerFile(path)).rejects.toThrow(`Cannot read ${path}: it is a folder`)
  })
})

describe('a saved file is noticed', () => {
  const follow = async (): Promise<{ path: string; next: () => Promise<string>; inFolder: string }> => {
    const inFolder = await folder()
    const path = join(inFolder, 'gs.yaml')
    await writeFile(path, 'a')
    const waiting: ((text: string) => void)[] = []
    const texts: string[] = []
    onTestFinished(
      watchTextFile(path, 'a', (text) => {
        const waiter = waiting.shift()
        if (waiter === undefined) texts.push(text)
        else waiter(text)
      }),
    )
    const next = async (): Promise<string> => texts.shift() ?? new Promise((resolve) => void waiting.push(resolve))
    return { path, next, inFolder }
  }

  test('when it was written in place, again and again', async () => {
    const { path, next } = await follow()
    for (const text of ['b', 'c', 'b']) {
      await writeFile(path, text)
      expect(await next()).toBe(text)
    }
  })

  test('when it was replaced by a rename, and after that in place', async () => {
    const { path, next } = await follow()
    await writeFile(`${path}.tmp`, 'b')
    await rename(`${path}.tmp`, path)
    expect(await next()).toBe('b')
    await writeFile(path, 'c')
    expect(await next()).toBe('c')
    await writeFile(`${path}.tmp`, 'd')
    await rename(`${path}.tmp`, path)
    expect(await next()).toBe('d')
  })

  test('when it was deleted and made again', async () => {
    const { path, next } = await follow()
    await unlink(path)
    await writeFile(path, 'b')
    expect(await next()).toBe('b')
  })

  test('when it is a link that was changed to another file', async () => {
    const { path, next, inFolder } = await follow()
    await writeFile(join(inFolder, 'other'), 'b')
    await symlink(join(inFolder, 'other'), `${path}.tmp`)
    await rename(`${path}.tmp`, path)
    expect(await next()).toBe('b')
    await writeFile(join(inFolder, 'other'), 'c')
    expect(await next()).toBe('c')
  })

  test('when its whole folder was replaced', async () => {
    const { path, next, inFolder } = await follow()
    await rename(inFolder, `${inFolder}-old`)
    onTestFinished(() => rm(`${inFolder}-old`, { recursive: true, force: true }))
    await mkdir(inFolder)
    await writeFile(path, 'b')
    expect(await next()).toBe('b')
    await writeFile(path, 'c')
    expect(await next()).toBe('c')
  })

  test('but not when its text is the same or nothing', async () => {
    const { path, next } = await follow()
    await writeFile(path, 'a')
    await writeFile(path, '')
    await writeFile(path, 'b')
    expect(await next()).toBe('b')
  })
})
