import { execFileSync } from 'node:child_process'
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { watchTextFile } from '../../src/local/files/follow-file.js'
import { loadGameServerFile, parseGameServer } from '../../src/local/files/game-server-file.js'
import { temporaryFile } from '../support/temporary-folder.js'

const fileOf = (text: string | Buffer, name = 'gs.yaml'): Promise<string> => temporaryFile(name, text)

const load = async (text: string | Buffer, name?: string): ReturnType<typeof loadGameServerFile> =>
  loadGameServerFile(await fileOf(text, name))

/** A text as the source of a regular expression. */
const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

describe('a GameServer file', () => {
  test('may be YAML or JSON, whatever its name, and its integers are exact', async () => {
    const yaml =
      'metadata:\n  name: a\n  labels: { map: "007" }\nspec: { counters: { rooms: { count: 1, capacity: 9007199254740993 } } }\n'
    const json =
      '{"metadata":{"name":"a","labels":{"map":"007"}},"spec":{"counters":{"rooms":{"count":"1","capacity":9007199254740993}}}}'
    for (const manifest of [await load(yaml), await load(json, 'gs.txt')]) {
      expect(manifest.metadata).toEqual({ name: 'a', labels: { map: '007' } })
      expect(String(manifest.spec?.counters?.['rooms']?.capacity)).toBe('9007199254740993')
    }
  })

  test.each([
    'kind: Service\n---\n---\nkind: GameServer\nmetadata: { name: mine }\n',
    'kind: ConfigMap\ndata: { a: b }\n---\nkind: Fleet\nmetadata: { name: fleet }\nspec:\n  replicas: 2\n' +
      '  template: { metadata: { name: mine }, spec: { health: { periodSeconds: 7 } } }\n---\nkind: GameServer\n',
    'kind: Fleet\nspec: { template: { metadata: { name: mine } } }\n',
  ])('is the first GameServer or Fleet of %j', async (text) => {
    expect((await parseGameServer('gs.yaml', text)).metadata?.name).toBe('mine')
  })

  test('of a Fleet has the label of the Fleet, by which allocations choose', async () => {
    const fleet = 'apiVersion: agones.dev/v1\nkind: Fleet\nmetadata: { name: arena }\n'
    const { metadata } = await load(`${fleet}spec: { template: { metadata: { labels: { mode: dm } } } }\n`)
    expect(metadata?.labels).toEqual({ mode: 'dm', 'agones.dev/fleet': 'arena' })
  })

  test.each([
    ['', /holds no usable GameServer: it must be an object/],
    ['kind: Pod\nspec: {}', /holds no usable GameServer: its kind is "Pod"; give a GameServer or a Fleet/],
    ['a: [1, 2', /is neither YAML nor JSON: /],
    ['kind: Fleet\nspec: { tempalte: {} }', /: spec has no field "tempalte"; did you mean "template"\?$/],
    [
      'kind: Fleet\nspec: { template: { spec: { helth: {} } } }',
      /gs\.yaml:2 .*: spec\.template\.spec has no field "helth"; did you/,
    ],
    ['metadata: { name: a, name: b }', /is neither YAML nor JSON: "name" is given twice$/],
    ['['.repeat(100_000), /is neither YAML nor JSON: it is nested more than 100 levels deep$/],
    ['metadata: { labels: { "\\e[31m\\u009b1m\\u202e": 5 } }', /labels\.\\u001b\[31m\\u009b1m\\u202e must be text/],
  ])('that holds %j is refused in one line that names the file', async (text, message) => {
    const refused = load(text)
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toThrow(/^[^\n]*gs\.yaml(:\d+)? [^\n]*$/)
  })

  test.each([
    [
      'a merge key',
      'metadata:\n  annotations: &b { a: "1", c: "2" }\n  labels: { <<: *b, a: "3" }',
      { c: '2', a: '3' },
    ],
    [
      'a merge key of several, of which the first counts',
      'metadata:\n  annotations: &b { a: "1" }\n  labels: { <<: [*b, { a: "2", c: "3" }], d: "4" }',
      { a: '1', c: '3', d: '4' },
    ],
    ['a key << in quotes, which merges nothing', 'metadata: { labels: { "<<": x } }', { '<<': 'x' }],
    [
      'an anchor that is used 900 times',
      `metadata:\n  name: &a x\n  labels:\n${Array.from({ length: 900 }, (_, i) => `    k${i}: *a\n`).join('')}`,
      Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`k${i}`, 'x'])),
    ],
    ['a tag of bytes', 'metadata: { labels: { a: !!binary aGVsbG8= } }', { a: 'aGVsbG8=' }],
  ])('may hold %s', async (_what, text, labels) => {
    expect((await load(text)).metadata?.labels).toEqual(labels)
  })

  test('is found before documents that are broken, and among hundreds', async () => {
    const broken = `kind: GameServer\nmetadata: { name: x }\n---\nfoo: [\n---\n"\\q"\n`
    const many = `${'---\nkind: Service\n---\n'.repeat(400)}---\nkind: GameServer\nmetadata: { name: x }\n`
    for (const text of [broken, many]) expect((await load(text)).metadata?.name).toBe('x')
  })

  test.each([
    ['spec: &m { template: *m }', 'the alias *m stands for what it is a part of'],
    ['metadata: { name: "\\q\\q" }', 'Invalid escape sequence \\q at line 1, column 20'],
    [
      `a0: &a0 [x, x]\n${Array.from({ length: 60 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`).join('')}`,
      'Excessive alias count indicates a resource exhaustion attack',
    ],
  ])("that can't be used is refused with the reason: $1", async (text, reason) => {
    await expect(load(text)).rejects.toThrow(new RegExp(` is neither YAML nor JSON: ${literal(reason)}$`))
  })

  test('in another encoding than UTF-8 is refused', async () => {
    const text = 'metadata: { annotations: { a: "caf\u00e9" } }\n'
    for (const other of [Buffer.from(`\ufeff${text}`, 'utf16le'), Buffer.from(text, 'latin1')]) {
      await expect(load(other)).rejects.toThrow(/gs\.yaml: it is not UTF-8; save it as UTF-8$/)
    }
    expect((await load(`\ufeff${text}`)).metadata?.annotations).toEqual({ a: 'caf\u00e9' })
  })

  test('that is absent, a pipe, a device or larger than a cluster takes is refused at once', async () => {
    const large = await fileOf(' '.repeat(1.5 * 1024 * 1024 + 1))
    const [folder, pipe] = [dirname(large), join(dirname(large), 'pipe')]
    execFileSync('mkfifo', [pipe])
    for (const [path, reason] of [
      [join(folder, 'none'), 'there is no such file'],
      [folder, 'it is a folder'],
      [pipe, 'it is not a regular file'],
      ['/dev/zero', 'it is not a regular file'],
      [large, 'it is larger than 1.5 MiB, the most that a cluster takes'],
    ] as const) {
      await expect(loadGameServerFile(path)).rejects.toThrow(new RegExp(`^Cannot read ${literal(path)}: ${reason}$`))
    }
  })
})

describe('a saved file is noticed', () => {
  const follow = async (): Promise<{ path: string; next: () => Promise<string> }> => {
    const path = await fileOf('a')
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
    return { path, next }
  }

  test('when it is written in place, replaced by a rename or a link, and when its folder is replaced', async () => {
    const { path, next } = await follow()
    const inFolder = dirname(path)
    const replace = async (text: string): Promise<void> => {
      await writeFile(`${path}.tmp`, text)
      await rename(`${path}.tmp`, path)
    }
    const other = join(inFolder, 'other')
    const saves: readonly (readonly [string, () => Promise<void>])[] = [
      ['b', () => writeFile(path, 'b')],
      ['a', () => writeFile(path, 'a')],
      ['c', () => replace('c')],
      ['d', () => writeFile(path, 'd')],
      [
        'e',
        async () => {
          await writeFile(other, 'e')
          await symlink(other, `${path}.tmp`)
          await rename(`${path}.tmp`, path)
        },
      ],
      ['f', () => writeFile(other, 'f')],
      [
        'g',
        async () => {
          await rename(inFolder, `${inFolder}-old`)
          onTestFinished(() => rm(`${inFolder}-old`, { recursive: true, force: true }))
          await mkdir(inFolder)
          await writeFile(path, 'g')
        },
      ],
    ]
    for (const [text, save] of saves) {
      await save()
      expect(await next()).toBe(text)
    }
  })

  test('but not when its text is unchanged or empty', async () => {
    const { path, next } = await follow()
    await writeFile(path, 'a')
    await writeFile(path, '')
    await writeFile(path, 'b')
    expect(await next()).toBe('b')
  })
})
