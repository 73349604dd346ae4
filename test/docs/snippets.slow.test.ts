import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pages, snippetsOf, type Snippet } from '../support/markdown.js'
import { root } from '../support/source.js'
import { isOwn, typeCheck } from '../support/type-check.js'

/** The compiler's errors for snippets, each compiled as a module. */
async function complaintsAbout(snippets: readonly Snippet[]): Promise<string[]> {
  const fileOf = ({ page, line, language }: Snippet): string => `${page.replace(/\W/g, '-')}-${line}.${language}`
  const files = new Map(snippets.map((snippet) => [fileOf(snippet), snippet]))
  const texts = new Map([...files].map(([file, { code }]) => [file, code]))
  const found = await typeCheck(root, texts.set('frameworks.d.ts', FRAMEWORKS), {
    skipLibCheck: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'esnext.disposable'],
    types: ['node'],
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    allowJs: true,
    checkJs: true,
    noImplicitAny: false, // a snippet in JavaScript can't say more
    paths: {
      'gameserver-sidecar': [join(root, 'src/index.ts')],
      'gameserver-sidecar/*': ['', 'players/', 'engines/', 'deploy/', 'local/', 'host/', 'frames/', 'platform/']
        .map((room) => `src/${room}*.ts`)
        .concat('src/*/index.ts')
        .map((path) => join(root, path)),
    },
  })
  return found.filter(isOwn).map(({ file, line, text }) => {
    const { page, line: start } = files.get(file) ?? { page: file, line: 1 }
    return `${page}:${start + line - 1}: ${text}`
  })
}

/** The parts of frameworks that the snippets use, with results that a callback may pass on. */
const FRAMEWORKS = `
declare module 'socket.io' {
  interface Socket {
    on(event: string, listener: (text: string) => void): this
  }
  export class Server {
    of(namespace: string): import('gameserver-sidecar/socket.io').NamespaceLike
    attach(): this
    close(done: () => void): void
    on(event: 'connection', listener: (socket: Socket & import('gameserver-sidecar/socket.io').SocketLike) => void): this
    emit(event: string, text: string): boolean
    listen(port: number): this
  }
}
declare module '@colyseus/core' {
  export const matchMaker: import('gameserver-sidecar/colyseus').ColyseusMatchMaker
  export class Server {
    constructor(options: { transport: object })
    define(name: string, room: unknown): object
    listen(port: number): Promise<void>
    gracefullyShutdown(exit?: boolean): Promise<void>
  }
}
declare module '@colyseus/ws-transport' {
  export class WebSocketTransport {}
}
declare module '*/arena.js' {
  export class Arena {}
}`

/** Whether a snippet imports this package and only known modules: others are fragments, or need an engine. */
function isWhole({ language, code }: Snippet): boolean {
  const imports = [...code.matchAll(/^import .*?from '([^']+)'/gm)].map(([, name]) => name!)
  return (
    /^[tj]s$/.test(language) &&
    imports.some((name) => name.startsWith('gameserver-sidecar')) &&
    imports.every((name) => KNOWN.test(name))
  )
}

const KNOWN = /^(gameserver-sidecar(\/|$)|node:|vitest$|ws$|socket\.io$|@colyseus\/|\.\/arena\.js$)/

const misfit: Snippet = {
  page: 'page.md',
  line: 10,
  language: 'ts',
  code: "import { createClient } from 'gameserver-sidecar'\ncreateClient({ baseURL: '' })\n",
}

test('snippets that import the package pass the type check, which reports the line of a wrong one', async () => {
  // Recipes need their games: test/hosts/recipes.test.ts checks them.
  const own = pages.filter((page) => !/recipes\/(?!own-page)/.test(page))
  const snippets = own.flatMap(snippetsOf).filter(isWhole)
  expect(snippets.length).toBeGreaterThan(15)
  expect(await complaintsAbout([...snippets, misfit])).toEqual([expect.stringMatching(/^page\.md:11: [^]*baseURL/)])
}, 120_000)
