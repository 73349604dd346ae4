import { plainText } from '../../local/files.js'
import { defineCommand, type Colors } from '../context.js'
import { checks, type Check } from '../doctor/checks.js'
import { createSubject, failure, type Finding, type Subject } from '../doctor/subject.js'
import { EXIT, missingPackage } from '../exit-codes.js'
import { sidecarAddress, isPort, url } from '../sidecar-address.js'
import { option, text, toggle, someSeconds } from '../flags.js'
import { jsonText } from '../output.js'

const USUAL_URL = 'http://127.0.0.1:9358'

export const command = defineCommand({
  flags: {
    url,
    file: text('path', 'also check this GameServer or Fleet, as YAML or JSON', { short: 'f' }),
    origin: option('url', 'also check whether a page of this origin gets through', originOf),
    timeout: option('seconds', 'longest wait for each answer', someSeconds, { byDefault: 3 }),
    json: toggle('write all findings as one JSON object'),
  },
  examples: `Examples:
  gameserver-sidecar doctor --origin http://localhost:5173
  gameserver-sidecar doctor --file gameserver.yaml --json`,
  async run({ flags, context }) {
    const { AGONES_SDK_HTTP_PORT: port = '' } = process.env
    // An invalid variable is a finding, not a reason to end.
    const isWrong = flags.url === undefined && port !== '' && !isPort(port)
    const address = sidecarAddress(isWrong ? USUAL_URL : flags.url)
    const { origin, file, timeout } = flags
    const version = context.version()
    const subject = createSubject({ url: address, env: process.env, origin, file, version, patience: timeout * 1000 })
    const findings: Examined[] = []
    for await (const finding of examine(subject)) {
      const isNew = finding.group !== findings.at(-1)?.group
      findings.push(finding)
      if (flags.json) continue
      if (isNew) context.print(context.colors.bold(finding.group))
      linesOf(finding, context.colors).forEach(context.print)
    }
    const failed = findings.filter(({ status }) => status === 'failure').length
    if (flags.json) context.print(jsonText({ ok: failed === 0, url: address, findings }))
    else context.print(`\n${verdict(findings, context.colors)}`)
    return failed === 0 ? EXIT.DONE : EXIT.FAILED
  },
})

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
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol)) return parsed.origin
  throw new Error('It must look like http://localhost:5173.')
}

function linesOf({ status, text, fix }: Examined, { dim, green, yellow, red, cyan }: Colors): string[] {
  const mark = { ok: green('[✓]'), warning: yellow('[!]'), failure: red('[✗]'), skipped: dim('[-]') }[status]
  const line = `  ${mark} ${plainText(text, 1_000)}`
  return fix === undefined ? [line] : [line, `      ${cyan('→')} ${plainText(fix, 1_000)}`]
}

function verdict(findings: readonly Examined[], colors: Colors): string {
  const count = (status: Examined['status']): number => findings.filter((one) => one.status === status).length
  const failed = count('failure')
  const told = `${count('ok')} in order, ${count('warning')} to know, ${failed} wrong, ${count('skipped')} skipped`
  return failed === 0 ? colors.green(told) : colors.red(told)
}
