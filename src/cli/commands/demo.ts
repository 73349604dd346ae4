import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { plainText } from '../../local/files.js'
import { defineCommand, PROGRAM, type CliContext } from '../context.js'
import { clockTime } from '../../platform/sidecar.js'
import { EXIT, failStart } from '../exit-codes.js'
import { option, toggle, port } from '../flags.js'
import { jsonEvent } from '../output.js'
import { hasDisplay, openInBrowser } from '../open-browser.js'
import { logFormat } from '../shared-flags.js'

/** The demos' servers, `demo/star-arena/demo.mjs`: sample code that imports this package by name. */
type DemoModule = Record<
  'startDemo' | 'startFleetDemo',
  (options: { readonly port: number; onNews(news: News): void }) => Promise<Demo>
>

interface Demo {
  readonly url: string
  readonly port: number
  readonly dashboard: string
  close(): Promise<void>
}

interface News {
  readonly kind: string
  readonly text: string
  readonly at: number
}

const flags = {
  port: option('port', 'port of the page; a taken port is replaced by a free one', port, {
    short: 'p',
    byDefault: 7654,
  }),
  fleet: toggle('five arenas in a Fleet, with a lobby and its matchmaker'),
  open: toggle('print the address, and open no browser', true),
  logFormat,
}

export const command = defineCommand({
  flags,
  examples: `In another terminal, while the demo runs and its sidecar has the usual port, 9358:
  gameserver-sidecar watch      shows each change of its GameServer
  gameserver-sidecar allocate   allocates it, as a matchmaker does`,
  async run({ flags: { port: wanted, fleet, open, logFormat: format }, context }) {
    const stopped = context.untilStopped()
    const isJson = format === 'json'
    const module = await loadDemo()
    const start = module[fleet ? 'startFleetDemo' : 'startDemo']
    const onNews = (news: News): void =>
      isJson ? context.print(jsonEvent(news.kind, { text: news.text })) : printNews(news, context)
    const demo = await start({ port: wanted, onNews }).catch(failStart({ port: wanted, portFlag: '--port' }))
    const { url, dashboard } = demo
    if (isJson) context.print(jsonEvent('listening', { url, dashboard, port: demo.port }))
    else printStart(demo, wanted, fleet, context)
    if (open && hasDisplay(process.env)) openInBrowser(url, context.warn)
    await stopped
    await demo.close()
    return EXIT.DONE
  },
})

/** Finds the demo by the package's name, since this code may be bundled into any file of `dist`. */
async function loadDemo(): Promise<DemoModule> {
  const manifest = createRequire(import.meta.url).resolve(`${PROGRAM}/package.json`)
  const path = join(dirname(manifest), 'dist', 'demo', 'demo.js')
  return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as DemoModule
}

function printStart(demo: Demo, wanted: number, fleet: boolean, { colors, print }: CliContext): void {
  const { bold, dim, cyan } = colors
  print(demo.url)
  if (wanted !== 0 && demo.port !== wanted)
    print(dim(`Port ${wanted} is taken or not allowed, so the demo uses another one.`))
  const [page, owner] = fleet ? ['Five arenas and their lobby', 'Fleet'] : ['A match and its GameServer', 'sidecar']
  print(`${page} are on this page; the ${owner}'s dashboard is at ${cyan(demo.dashboard)}`)
  print(`${bold('Ctrl-C')} ends the demo.\n`)
}

function printNews({ kind, text, at }: News, { colors, print }: CliContext): void {
  const shown = plainText(text, 400)
  const tones: Readonly<Record<string, (text: string) => string>> = { state: colors.bold, trouble: colors.red }
  print(`${colors.dim(clockTime(at))}  ${kind.padEnd(10)}  ${tones[kind]?.(shown) ?? shown}`)
}
