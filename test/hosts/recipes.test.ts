import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { snippetsOf, type Snippet } from '../support/markdown.js'
import { root } from '../support/source.js'
import { isOwn, typeCheck, type Complaint } from '../support/type-check.js'
import { runtimeFile } from './support/runtimes.js'

const babylon = runtimeFile('@babylonjs/core/package.json')
const playcanvas = runtimeFile('playcanvas/build/playcanvas.d.ts')

/** Cocos Creator has no package, so these are the declarations that the recipes use. */
const COCOS = `
declare module 'cc' {
  export class Component { node: Node }
  export class Node { name: string }
  export const director: { getTotalFrames(): number; addPersistRootNode(node: Node): void }
  export namespace _decorator {
    function ccclass(name: string): ClassDecorator
    const property: PropertyDecorator
  }
}`

/** What recipes find in the games that they change, and in the engines that no package here brings. */
const GAMES = `
declare module 'boardgame.io/server' {
  export const Origins: { LOCALHOST: RegExp }
  export function Server(options: object): { app: { _io: SocketIoServerLike }; run(port: number): void }
}
declare module '@colyseus/core' {
  export const matchMaker: ColyseusMatchMaker
  export function defineRoom(room: unknown): object
  export function defineServer(options: object): ColyseusServer & { listen(port: number): Promise<unknown> }
}
declare module '@colyseus/ws-transport' {
  export class WebSocketTransport {}
}
type SocketIoServerLike = import('gameserver-sidecar/socket.io').SocketIoServerLike
type ColyseusMatchMaker = import('gameserver-sidecar/colyseus').ColyseusMatchMaker
type ColyseusServer = import('gameserver-sidecar/colyseus').ColyseusServer
declare const socketio: (server: unknown) => SocketIoServerLike
declare const server: unknown
declare const game: { addPlayer(socket: object, name: string): void }
declare const TicTacToe: object, BattleRoom: object
declare const PORT: number, port: number
declare var gameServerHost: import('gameserver-sidecar').GameServerHost
declare function mergeInto(library: unknown, functions: object): void
declare function UTF8ToString(pointer: number): string
declare function sendTo(id: string, text: string): void
declare const LibraryManager: { library: unknown }
declare const Bun: {
  serve<Data>(options: {
    port: number
    fetch(request: Request, server: BunServer<Data>): Response | undefined | Promise<Response | undefined>
    websocket: {
      open(socket: BunSocket<Data>): void
      message(socket: BunSocket<Data>, text: string | object): void
      close(socket: BunSocket<Data>): void
    }
  }): BunServer<Data>
}
interface BunServer<Data> {
  publish(topic: string, text: string): number
  upgrade(request: Request, options: { data: Data }): boolean
}
interface BunSocket<Data> {
  readonly data: Data
  subscribe(topic: string): void
}
declare const System: { import(name: string): Promise<any> }
declare const GameServerSidecarPlayers: typeof import('gameserver-sidecar/players')`

/** What recipes without imports find in their surroundings. */
const GLOBALS = `
declare const GameServerSidecar: typeof import('gameserver-sidecar')
declare const pc: { createScript(name: string): { prototype: Record<string, any> } }
declare const host: {
  fetch: import('gameserver-sidecar').FetchLike
  WebSocket: import('gameserver-sidecar').WebSocketConstructor
  onFrame(run: () => void): void
}`

/** The code of a recipe's snippet; of a diff, the code after it. */
function codeIn({ language, code }: Snippet): string | undefined {
  if (/^[tj]s$/.test(language)) return code
  if (language !== 'diff' || !/^\+.*gameserver-sidecar\/(?!phaser)/m.test(code)) return undefined
  const after = code.replace(/^-.*\n/gm, '').replace(/^[+ ]/gm, '')
  // The types of require() are Node's.
  return after.replace(/^const (.*) = require\((.*)\)$/gm, 'import $1 from $2')
}

async function complaintsAbout(files: ReadonlyMap<string, string>): Promise<Complaint[]> {
  const found = await typeCheck(root, files, {
    skipLibCheck: true,
    allowJs: true,
    checkJs: true,
    experimentalDecorators: true,
    // A recipe in JavaScript can't say more.
    noImplicitAny: false,
    noImplicitThis: false,
    useUnknownInCatchVariables: false,
    types: [],
    moduleDetection: 'force',
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'esnext.disposable', 'dom'],
    paths: {
      'gameserver-sidecar': [join(root, 'src/index.ts')],
      'gameserver-sidecar/players': [join(root, 'src/players/index.ts')],
      'gameserver-sidecar/*': ['players', 'engines'].map((room) => join(root, `src/${room}/*.ts`)),
      playcanvas: [playcanvas!],
      '@babylonjs/core/*': [`${dirname(babylon!)}/*`],
    },
  })
  return found.filter(isOwn)
}

const SCENE = `import Phaser from 'phaser'
import { trackPlayers } from 'gameserver-sidecar/players'
export class Typed extends Phaser.Scene {
  create() {
    void this.sidecar.ready()
    trackPlayers(this.sidecar, { list: 'players' }).on('joined', ({ id }) => id.trim())
    // @ts-expect-error no such event
    this.sidecar.on('gameServer', () => {})
  }
}`

/** The main file of a project that Phaser's template makes, as far as its form matters. */
const TEMPLATE = `import { AUTO, Game } from 'phaser';
/** @type {Phaser.Types.Core.GameConfig} */
const config = {
    type: AUTO,
};
export default (parent) => {
    return new Game({ ...config, parent });
}
`

/** A file after the changes that a page shows for it; throws where a change doesn't fit. */
function applyDiffs(file: string, page: string): string {
  const diffs = snippetsOf(page).filter(({ language, code }) => language === 'diff' && isFor(file, code))
  expect(diffs.length).toBeGreaterThan(1)
  return diffs.reduce((text, { code, line }) => {
    const before = code.replace(/^\+.*\n/gm, '').replace(/^[- ]/gm, '')
    expect(text, `${page}:${line}`).toContain(before)
    return text.replace(before, () => code.replace(/^-.*\n/gm, '').replace(/^[+ ]/gm, ''))
  }, file)
}

const isFor = (file: string, diff: string): boolean =>
  diff.split('\n').some((line) => /^[- ]\S|^- {4}\S/.test(line) && file.includes(line.slice(1)))

const HOSTED = `import type { PlayerSocket } from 'gameserver-sidecar'
export function join(socket: PlayerSocket) {
  socket.onmessage = ({ data }) => socket.send(JSON.parse(data).text.trim())
}`

test.skipIf(babylon === undefined || playcanvas === undefined)(
  'the recipes of docs/engines.md and docs/recipes fit the types of the package, of the engines and of the games',
  async () => {
    const pages = ['boardgame-io', 'bun', 'cocos-export', 'colyseus', 'phaser-template', 'socket-io', 'unity-godot']
    const recipes = ['engines', ...pages.map((name) => `recipes/${name}`)].flatMap((name) => {
      const codes = snippetsOf(`docs/${name}.md`).map((snippet) => ({ ...snippet, code: codeIn(snippet) }))
      const found = codes.filter(({ code }) => code !== undefined)
      expect(found.length).toBeGreaterThanOrEqual(1)
      return found.map(({ code, line, language }) => {
        return [`${name.replace('/', '-')}.md-${line}.${language === 'ts' ? 'ts' : 'js'}`, code!] as const
      })
    })
    expect(recipes.length).toBeGreaterThan(9)
    const complaints = await complaintsAbout(
      new Map([
        ...recipes,
        ['recipe-scene.ts', SCENE],
        ['recipe-template.js', applyDiffs(TEMPLATE, 'docs/recipes/phaser-template.md')],
        ['recipe-hosted.ts', HOSTED],
        ['recipe-cocos.d.ts', COCOS],
        ['recipe-games.d.ts', GAMES],
        ['recipe-globals.d.ts', GLOBALS],
      ]),
    )
    expect(complaints).toEqual([])
  },
  120_000,
)
