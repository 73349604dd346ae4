import { createServer, type RequestListener } from 'node:http'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { createSourceMaps, fetchText } from '../../../src/host/page/source-maps.js'
import { fakeSession } from '../support/fake-session.js'
import { listenHere } from '../../support/listen.js'

const origin = 'http://127.0.0.1:8080'

const SOURCE = `interface Ball { x: number }

export function step(ball: Ball): number {
  throw new Error('boom ' + ball.x)
}
`

interface Built {
  readonly map: string
  /** Where the script throws; from 1. */
  readonly line: number
  readonly column: number
}

function build(): Built {
  const compilerOptions = { sourceMap: true, removeComments: true, target: ts.ScriptTarget.ES2022 }
  const fileName = '../../src/step.ts'
  const { outputText, sourceMapText } = ts.transpileModule(SOURCE, { compilerOptions, fileName })
  const before = outputText.slice(0, outputText.indexOf('throw')).split('\n')
  const map = JSON.stringify({ ...(JSON.parse(sourceMapText!) as object), sources: [fileName] })
  return { map, line: before.length, column: before.at(-1)!.length + 1 }
}

const MAPPED = /^Error: boom\n {4}at step \(src\/step\.ts:4:3\)$/

/** The mapped stack of an error at a place of /assets/game.js. */
async function mapped(
  script: object,
  place: { readonly line: number; readonly column: number },
  read: (url: string) => string | undefined = () => undefined,
): Promise<{ readonly text: string; readonly fetched: string[] }> {
  const fetched: string[] = []
  const session = fakeSession()
  const maps = createSourceMaps(origin, async (url) => {
    fetched.push(url)
    return read(url)
  })
  maps.follow(session)
  const url = `${origin}/assets/game.js`
  session.emit('Debugger.scriptParsed', { scriptId: '7', url, startLine: 0, startColumn: 0, ...script })
  const stack = `Error: boom\n    at step (${url}:${place.line}:${place.column})`
  return { text: await maps.mapStack(stack), fetched }
}

const { map, ...place } = build()
const inScript = { ...(JSON.parse(map) as object), sources: [`${origin}/src/step.ts`] }
const dataUrl = `data:application/json;base64,${Buffer.from(JSON.stringify(inScript)).toString('base64')}`
const sections = JSON.stringify({
  version: 3,
  sections: [{ offset: { line: 0, column: 0 }, map: JSON.parse(map) as object }],
})
const inPage = { startLine: 10, startColumn: 8 }
const placeInPage = { line: place.line + 10, column: place.line === 1 ? place.column + 8 : place.column }
const BESIDE = { sourceMapURL: 'game.js.map' }

test.each<[string, object, typeof place, string, fetches: number]>([
  ['a map beside the script', BESIDE, place, map, 1],
  ['a map in the script', { sourceMapURL: dataUrl }, place, '', 0],
  ['a map of sections, with a line in front that keeps it from being run', BESIDE, place, `)]}'\n${sections}`, 1],
  ['the map of a script that begins within a page', { ...BESIDE, ...inPage }, placeInPage, map, 1],
])('a stack is mapped to the sources by %s', async (_which, script, at, answer, fetches) => {
  const { text, fetched } = await mapped(script, at, () => answer)
  expect(text).toMatch(MAPPED)
  expect(fetched).toEqual([`${origin}/assets/game.js.map`].slice(0, fetches))
})

describe('a stack is unchanged except for the origin', () => {
  const UNMAPPED = /^Error: boom\n {4}at step \(assets\/game\.js:\d+:\d+\)$/

  test.each([
    ['without a map', '', undefined, 0],
    ['if the map would come from another origin', 'https://other.example/game.js.map', undefined, 0],
    ['if the map would come from a file', 'file:///etc/passwd', undefined, 0],
    ['if the map is not there', 'game.js.map', undefined, 1],
    ['if the map is a page', 'game.js.map', '<!doctype html>', 1],
    ['if the map is null', 'game.js.map', 'null', 1],
    ['if the map has sections of nothing', 'game.js.map', '{"version":3,"sections":[null]}', 1],
    ['if the map is broken', 'game.js.map', '{"version":3,"sources":[],"names":[],"mappings":"!!!"}', 1],
    ['if the map in the script is broken', 'data:application/json;base64,%%%', undefined, 0],
  ])('%s', async (_why, sourceMapURL, map, fetches) => {
    const { text, fetched } = await mapped({ sourceMapURL }, { line: 1, column: 1 }, () => map)
    expect(text).toMatch(UNMAPPED)
    expect(fetched).toHaveLength(fetches)
  })

  test.each([
    [
      'lines that are no frames',
      'Error: at x:1:2\n    at native\n    at eval (eval at f (x:1:2), <anonymous>:1:1)\n at ',
    ],
    ['a line of brackets that was made to be slow', `    at ${'('.repeat(50_000)}`],
    ['a long line of places that was made to be slow', `    at ${'a:1:1'.repeat(50_000)}`],
    ['a line of places that was made to be slow', `    at ${':1'.repeat(1_900)}`],
  ])('if it has %s', async (_what, text) => {
    expect(await createSourceMaps(origin).mapStack(text)).toBe(text)
  })
})

test('a map is fetched once for many errors', async () => {
  const { line, column } = place
  let fetches = 0
  const session = fakeSession()
  const maps = createSourceMaps(origin, () => Promise.resolve((fetches += 1) > 0 ? map : ''))
  maps.follow(session)
  const url = `${origin}/assets/game.js`
  session.emit('Debugger.scriptParsed', { url, sourceMapURL: 'x.map', startLine: 0, startColumn: 0 })
  await Promise.all(Array.from({ length: 500 }, () => maps.mapStack(`x\n    at f (${url}:${line}:${column})`)))
  expect(fetches).toBe(1)
})

describe('a source map that the gateway serves', () => {
  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener)
    return `http://127.0.0.1:${await listenHere(server)}/x.map`
  }

  test('is read whole', async () => {
    const whole = 'é'.repeat(100_000)
    expect(await fetchText(await serve((_request, response) => response.end(whole)))).toBe(whole)
  })

  test.each<[string, RequestListener]>([
    ['is missing', (_request, response) => response.writeHead(404).end('no')],
    ['leads elsewhere', (_request, response) => response.writeHead(302, { location: '/y' }).end()],
    [
      'breaks off',
      (_request, response) => {
        response.writeHead(200, { 'content-length': 100 })
        response.write('half')
        setImmediate(() => response.destroy())
      },
    ],
  ])('counts as missing if it %s', async (_why, listener) => {
    expect(await fetchText(await serve(listener))).toBeUndefined()
  })
})
