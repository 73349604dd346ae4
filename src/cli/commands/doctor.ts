import { plainText } from '../../local/files.js'
import { defineCommand, type CliContext, type Colors } from '../context.js'
import { createSubject, failure, whenThere, type Check, type Finding, type Subject } from '../doctor/subject.js'
import { checkContainer, checkFile, checkListener, checkOrigin, checkPort } from '../doctor/environment.js'
import {
  checkBeats,
  checkFaults,
  checkSize,
  checkState,
  checkStream,
  checkVersion,
  checkWebSocket,
} from '../doctor/game-server.js'
import { EXIT, missingPackage } from '../exit-codes.js'
import { findSidecar, isPort, url } from '../find-sidecar.js'
import { someSeconds } from '../flag-values.js'
import { option, text, toggle } from '../flags.js'
import { jsonText } from '../output.js'

const DEFAULT_URL = 'http://127.0.0.1:9358'

export const command = defineCommand({
  flags: {
    url,
    file: text('path', 'also check this GameServer or Fleet, as YAML or JSON', { short: 'f' }),
    origin: option('url', 'also check whether a page of this origin gets through', originOf),
    timeout: option('seconds', 'longest wait for each answer', someSeconds, { byDefault: 3 }),
    json: toggle('write all findings as one JSON object'),
  },
  examples: `Examples:
  gameserver-sidecar doctor
  gameserver-sidecar doctor --url http://127.0.0.1:9358 --origin http://localhost:5173
  gameserver-sidecar doctor --file gameserver.yaml --json`,
  async run({ flags, context }) {
    const address = flags.url === undefined ? await urlOfEnvironment() : await findSidecar(flags.url)
    const subject = createSubject({
      url: address,
      env: process.env,
      isUrlGiven: flags.url !== undefined,
      origin: flags.origin,
      file: flags.file,
      version: context.version(),
      patience: flags.timeout * 1000,
    })
    const findings: Examined[] = []
    const report = createReport(context)
    for await (const finding of examine(subject)) {
      findings.push(finding)
      if (!flags.json) report.tell(finding)
    }
    const failed = findings.filter(({ status }) => status === 'failure').length
    if (flags.json) context.print(jsonText({ ok: failed === 0, url: address, findings }))
    else report.end(findings)
    return failed === 0 ? EXIT.DONE : EXIT.FAILED
  },
})

/** All checks in the order of the report. */
export const checks: readonly Check[] = [
  { id: 'port-variable', group: 'Environment', run: checkPort },
  { id: 'container', group: 'Environment', run: checkContainer },
  { id: 'listener', group: 'Reach', run: checkListener },
  { id: 'origin', group: 'Reach', run: checkOrigin },
  { id: 'stream', group: 'Watch', run: whenThere(checkStream) },
  { id: 'websocket', group: 'Watch', run: whenThere(checkWebSocket) },
  { id: 'size', group: 'Watch', run: whenThere(checkSize) },
  { id: 'faults', group: 'Watch', run: checkFaults },
  { id: 'state', group: 'GameServer', run: whenThere(checkState) },
  { id: 'version', group: 'GameServer', run: whenThere(checkVersion) },
  { id: 'beats', group: 'GameServer', run: checkBeats },
  { id: 'file', group: 'File', run: checkFile },
]

type Examined = Pick<Check, 'id' | 'group'> & Finding

/** Runs one check at a time, so that none disturbs another's measurement. */
export async function* examine(subject: Subject): AsyncGenerator<Examined> {
  for (const { id, group, run } of checks) {
    const found = await Promise.resolve(subject).then(run).catch(failed)
    for (const finding of [found].flat()) yield { id, group, ...finding }
  }
}

function failed(error: unknown): Finding {
  const name = missingPackage(error)
  return name === undefined
    ? failure(`the check itself failed: ${String(error)}`, 'please report this')
    : failure(`the package ${name} isn't installed, which this check needs`, `npm install ${name}`)
}

function originOf(given: string): string {
  const parsed = URL.canParse(given) ? new URL(given) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new Error('It must look like http://localhost:5173.')
  }
  return parsed.origin
}

/** An invalid variable is a finding, not a reason to end. @throws UsageError where several sidecars run */
async function urlOfEnvironment(): Promise<string> {
  const { AGONES_SDK_HTTP_PORT: port = '' } = process.env
  return port === '' || isPort(port) ? findSidecar(undefined) : DEFAULT_URL
}

/** Prints each finding at once. Checks that are skipped for the same reason share a line. */
function createReport({ print, colors }: CliContext): { tell(one: Examined): void; end(all: Examined[]): void } {
  let group = ''
  let together: Examined[] = []
  const printSkipped = (): void => {
    const [first] = together
    if (first === undefined) return
    const ids = together.map(({ id }) => id).join(', ')
    print(`  ${colors.dim(`[-] skipped (${ids}): ${plainText(first.text, 1_000)}`)}`)
    together = []
  }
  return {
    tell: (finding) => {
      const isMore = finding.status === 'skipped' && finding.group === group && finding.text === together[0]?.text
      if (!isMore) printSkipped()
      if (finding.group !== group) print(`${group === '' ? '' : '\n'}${colors.bold(finding.group)}`)
      group = finding.group
      if (finding.status === 'skipped') together.push(finding)
      else linesOf(finding, colors).forEach(print)
    },
    end: (findings) => {
      printSkipped()
      print(`\n${verdict(findings, colors)}`)
    },
  }
}

function linesOf({ status, text, fix }: Examined, { green, yellow, red, cyan }: Colors): string[] {
  const mark = { ok: green('[✓]'), warning: yellow('[!]'), failure: red('[✗]'), skipped: '[-]' }[status]
  const line = `  ${mark} ${plainText(text, 1_000)}`
  return fix === undefined ? [line] : [line, `      ${cyan('→')} ${plainText(fix, 1_000)}`]
}

function verdict(findings: readonly Examined[], colors: Colors): string {
  const count = (status: Examined['status']): number => findings.filter((one) => one.status === status).length
  const failed = count('failure')
  const told = `${count('ok')} in order, ${count('warning')} to know, ${failed} wrong, ${count('skipped')} skipped`
  return failed === 0 ? colors.green(told) : colors.red(told)
}
