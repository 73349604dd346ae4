import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { plainText } from '../../local/files.js'
import { readExisting } from '../../deploy/init.js'
import { ChoiceError } from '../../deploy/init.js'
import { choose } from '../../deploy/init.js'
import type { Person } from '../../deploy/init.js'
import { imageProblems, nextSteps } from '../../deploy/init.js'
import { inspectProject, ProjectError } from '../../deploy/init.js'
import { renderFiles, WriteError, writeFiles } from '../../deploy/init.js'
import { defineCommand, UsageError } from '../context.js'
import type { CliContext } from '../context.js'
import { EXIT } from '../exit-codes.js'
import { portRange, several } from '../flag-values.js'
import { option, text, toggle, withDefault } from '../flags.js'
import type { Values } from '../flags.js'

/** EX_CANTCREAT of sysexits.h: a file can't be written. */
const CANNOT_CREATE = 73

const flags = {
  kind: text('kind', 'page, or node for a program (default: what the project looks like)'),
  name: text('name', 'name of the Fleet (default: that of package.json)'),
  dir: text('dir', "a page's build, within the project (default: where it is, or dist)"),
  path: text('path', 'path and query of the page within its build (default: "/")'),
  webgl: toggle('draw WebGL in software, for half a core more'),
  entry: text('file', 'a Node program, within the project (default: that of npm start, or server.mjs)'),
  playersPort: text('port', 'port that players connect to (default: 7777)', { also: ['port'] }),
  counter: option('name=capacity', 'counter of each server, such as rooms=10; repeatable', several),
  list: option('name=capacity', 'list of each server, such as players=32; repeatable', several),
  image: text('image', 'name of the image (default: name and version of the project)'),
  webrtc: toggle('let players in by UDP, too'),
  metrics: toggle('let a Prometheus read the metrics of each server'),
  edge: text('name', 'also write edge.yaml, for pages from https: wss://NAME leads to all servers'),
  nodes: text('cidr', "the edge: the nodes' network; commas between several (default: 10.0.0.0/8)"),
  ports: option('range', "the edge: the platform's ports for players (default: 7000-8000)", portRange),
  into: withDefault(text('dir', 'the project'), '.'),
  yes: toggle('ask nothing and take the defaults'),
}

export const command = defineCommand({ flags, run: ({ flags: given, context }) => runInit(given, context) })

async function runInit(options: Values<typeof flags>, context: CliContext): Promise<number> {
  const isAsked = !options.yes && process.stdin.isTTY && process.stdout.isTTY
  const terminal = isAsked ? openTerminal(options.into, context) : undefined
  try {
    const project = inspectProject(options.into)
    const existing = await readExisting(options.into)
    const choices = await choose(options, project, terminal?.person, existing)
    const files = renderFiles(choices, project, existing)
    const { written, kept } = await writeFiles(options.into, files)
    report(written, kept, context)
    const isTold = terminal !== undefined || options.kind !== undefined || options.entry !== undefined
    if (project.whyNoPage !== undefined && choices.kind === 'node' && !isTold) {
      const why = plainText(project.whyNoPage)
      context.print(context.colors.yellow(`Taken for a Node program, since ${why}; for its page give --kind page.`))
    }
    const leftOut = written.includes('fleet.yaml') ? (existing?.leftOut ?? []) : []
    if (leftOut.length > 0) {
      const what = `gameserver.yaml has ${leftOut.join(' and ')}, which fleet.yaml leaves out: a Fleet's template can't have it.`
      context.print(context.colors.yellow(plainText(what)))
    }
    for (const problem of imageProblems(options.into, kept, choices, project))
      context.print(context.colors.yellow(plainText(problem)))
    if (written.length > 0) {
      context.print('\nNext:')
      for (const step of nextSteps(choices, project)) context.print(`  ${context.colors.cyan(step)}`)
      context.print('How to go on, from trying the image to updates: docs/deploy.md of gameserver-sidecar, step 3.')
      if (choices.edge !== undefined)
        context.print(
          'How the edge gets its certificate, and what to watch: docs/guides/https.md of gameserver-sidecar.',
        )
    }
    return leftOut.length > 0 ? EXIT.FAILED : EXIT.DONE
  } catch (error) {
    if (error instanceof ChoiceError) throw new UsageError(`--${error.message}.`, { cause: error })
    if (error instanceof ProjectError) throw new UsageError(`${error.message}.`, { cause: error })
    const message = error instanceof WriteError ? error.message : undefined
    if (message === undefined && !isAbort(error)) throw error
    context.warn(context.colors.red(plainText(`${message ?? 'Nothing was written: the questions were ended'}.`)))
    return message === undefined ? EXIT.INTERRUPTED : CANNOT_CREATE
  } finally {
    terminal?.close()
  }
}

function report(written: readonly string[], kept: readonly string[], { print, colors }: CliContext): void {
  if (written.length > 0) print(`${colors.green('Written:')} ${written.join(', ')}`)
  if (kept.length > 0) print(`${colors.yellow('Left as it was:')} ${kept.join(', ')}`)
  if (written.length === 0) print('There is nothing to do; to get a new file, rename the existing one.')
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

/** Asks in the terminal until Ctrl-C or Ctrl-D. */
function openTerminal(folder: string, { colors, print, warn }: CliContext): { readonly person: Person; close(): void } {
  const end = new AbortController()
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  lines.on('close', () => end.abort())
  print(`Files for a Fleet, in ${resolve(folder)}. Enter takes what is in brackets.`)
  return {
    person: {
      ask: (question, byDefault) =>
        lines.question(`${question} ${colors.dim(`(${byDefault || 'none'})`)}: `, { signal: end.signal }),
      complain: (sentence) => warn(colors.red(plainText(sentence))),
    },
    close: () => lines.close(),
  }
}
