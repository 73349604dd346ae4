import { dirname, join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { snippetsOf } from '../support/markdown.js'
import { root } from '../support/source.js'
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

/** Globals of recipes without imports. */
const GLOBALS = `
declare const GameServerSidecar: typeof import('gameserver-sidecar')
declare const pc: { createScript(name: string): { prototype: Record<string, any> } }
declare const host: {
  fetch: import('gameserver-sidecar').FetchLike
  WebSocket: import('gameserver-sidecar').WebSocketConstructor
  onFrame(run: () => void): void
}`

function complaintsAbout(files: Map<string, string>): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowJs: true,
    checkJs: true,
    experimentalDecorators: true,
    noImplicitThis: false,
    types: [],
    moduleDetection: ts.ModuleDetectionKind.Force,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
    paths: {
      'gameserver-sidecar': [join(root, 'src/index.ts')],
      'gameserver-sidecar/players': [join(root, 'src/players/index.ts')],
      'gameserver-sidecar/*': [join(root, 'src/adapters/*.ts')],
      playcanvas: [playcanvas!],
      '@babylonjs/core/*': [`${dirname(babylon!)}/*`],
    },
  }
  const compiler = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = compiler
  compiler.fileExists = (name) => files.has(name) || fileExists(name)
  compiler.readFile = (name) => files.get(name) ?? readFile(name)
  compiler.getSourceFile = (name, ...rest) => {
    const code = files.get(name)
    return code === undefined ? getSourceFile(name, ...rest) : ts.createSourceFile(name, code, ts.ScriptTarget.ES2022)
  }
  const program = ts.createProgram([...files.keys()], options, compiler)
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file !== undefined && files.has(file.fileName))
    .map(({ file, start, messageText }) => {
      const { line } = file!.getLineAndCharacterOfPosition(start ?? 0)
      return `${file!.fileName}:${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
    })
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

const HOSTED = `import type { PlayerSocket } from 'gameserver-sidecar'
export function join(socket: PlayerSocket) {
  socket.onmessage = ({ data }) => socket.send(JSON.parse(data).text.trim())
}`

test.skipIf(babylon === undefined || playcanvas === undefined)(
  'the recipes of docs/engines.md fit the types of the package and of the engines',
  () => {
    const recipes = snippetsOf('docs/engines.md').filter(({ language }) => language === 'ts' || language === 'js')
    expect(recipes.length).toBeGreaterThan(8)
    const complaints = complaintsAbout(
      new Map([
        ...recipes.map(({ line, language, code }) => [join(root, `engines.md-${line}.${language}`), code] as const),
        [join(root, 'recipe-scene.ts'), SCENE],
        [join(root, 'recipe-hosted.ts'), HOSTED],
        [join(root, 'recipe-cocos.d.ts'), COCOS],
        [join(root, 'recipe-globals.d.ts'), GLOBALS],
      ]),
    )
    expect(complaints).toEqual([])
  },
  120_000,
)
