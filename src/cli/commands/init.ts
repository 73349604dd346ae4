import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import {
  alternatives,
  checkFolder,
  ChoiceError,
  choose,
  imageProblems,
  inspectProject,
  localSteps,
  mistakesIn,
  nextSteps,
  ProjectError,
  readExisting,
  renderFiles,
  UndecidedError,
  WriteError,
  writeFiles,
  type Choices,
  type Person,
  type Project,
  type Written,
} from '../../deploy/init.js'
import { plainText } from '../../local/files.js'
import { defineCommand, type CliContext } from '../context.js'
import { EXIT, UsageError } from '../exit-codes.js'
import { option, text, toggle, type Values, portRange, several } from '../flags.js'

/** EX_CANTCREAT of sysexits.h: a file can't be written. */
const CANNOT_CREATE = 73

const flags = {
  kind: text('kind', 'page, or node for a program (default: what the project looks like)'),
  name: text('name', 'name of the Fleet (default: that of package.json)'),
  dir: text('dir', "a page's build, within the project (default: where it is, or dist)"),
  path: text('path', 'path and query of the page within its build (default: "/")'),
  webgl: toggle('draw WebGL in software, for half a core more'),
  entry: text('file', 'a program, within the project (default: what npm start runs)'),
  playersPort: text('port', 'port that players connect to (default: 7777)', { also: ['port'] }),
  health: text('seconds', 'seconds without a beat until a server is replaced (default: 15)'),
  counter: option('name=capacity', 'counter of each server, such as rooms=10; repeatable', several),
  list: option('name=capacity', 'list of each server, such as players=16; repeatable', several),
  image: text('image', 'name of the image (default: name and version of the project)'),
  webrtc: toggle('let players in by UDP, too'),
  metrics: toggle('let a Prometheus read the metrics of each server'),
  edge: text('name', 'also write edge.yaml, for pages from https: wss://NAME leads to all servers'),
  nodes: text('cidr', "the edge: the nodes' network; commas between several (default: 10.0.0.0/8)"),
  ports: option('range', "the edge: the platform's ports for players (default: 7000-8000)", portRange),
  into: text('dir', 'the project', { byDefault: '.' }),
  yes: toggle('ask nothing and take the defaults'),
}

export const command = defineCommand({ flags, run: ({ flags: given, context }) => runInit(given, context) })

async function runInit(options: Values<typeof flags>, context: CliContext): Promise<number> {
  const isAsked = !options.yes && process.stdin.isTTY && process.stdout.isTTY
  const terminal = isAsked ? openTerminal(options.into, context) : undefined
  try {
    await checkFolder(options.into)
    const project = inspectProject(options.into)
    const existing = await readExisting(options.into)
    const choices = await choose(options, project, terminal?.person, existing).catch((error: unknown) => {
      if (error instanceof UndecidedError) return tellUndecided(error, project, context)
      throw error
    })
    if (choices === undefined) return EXIT.FAILED
    const files = renderFiles(choices, project, existing)
    const result = await writeFiles(options.into, files)
    report(result, context)
    const isCarried = existing !== undefined && result.written.includes('fleet.yaml')
    const leftOut = isCarried ? existing.leftOut : []
    const mistakes = isCarried ? mistakesIn(files.get('fleet.yaml')!, existing) : []
    const isTold = terminal !== undefined || options.kind !== undefined || options.entry !== undefined
    const remarks = [
      ...(isTold || choices.kind !== project.kind ? [] : [takenFor(project)]),
      ...(leftOut.length === 0
        ? []
        : [
            `gameserver.yaml has ${leftOut.join(' and ')}, which fleet.yaml leaves out: servers of a Fleet can't have it.`,
          ]),
      ...mistakes,
      ...imageProblems(result.kept, choices, project),
    ]
    for (const remark of remarks) context.print(context.colors.yellow(plainText(remark)))
    if (result.written.length > 0) tellNext(choices, project, context)
    return leftOut.length + mistakes.length > 0 ? EXIT.FAILED : EXIT.DONE
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

function tellUndecided({ message }: UndecidedError, project: Project, { warn, colors }: CliContext): undefined {
  warn(colors.red(plainText(`Nothing was written: ${message}. Choose one:`)))
  for (const command of alternatives(project)) warn(`  ${colors.cyan(command)}`)
}

const takenFor = ({ kind, why }: Project): string =>
  kind === 'node'
    ? `Taken for a program, since ${why}; for a page give --kind page.`
    : `Taken for a page, since ${why}; for a program give --entry.`

function report({ written, kept, differences }: Written, { print, colors }: CliContext): void {
  if (written.length > 0) print(`${colors.green('Written:')} ${written.join(', ')}`)
  if (kept.length > 0) print(`${colors.yellow('Left as it was:')} ${kept.join(', ')}`)
  for (const difference of differences) print(plainText(difference))
  if (written.length === 0) print('There is nothing to do; to get a new file, rename the existing one.')
}

function tellNext(choices: Choices, project: Project, { print, colors }: CliContext): void {
  print('\nNext:')
  for (const step of nextSteps(choices, project)) print(`  ${colors.cyan(step)}`)
  print('Without a cluster, the same Fleet on this machine:')
  for (const step of localSteps(choices, project)) print(`  ${colors.cyan(step)}`)
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
      warn: (sentence) => warn(colors.red(plainText(sentence))),
    },
    close: () => lines.close(),
  }
}
