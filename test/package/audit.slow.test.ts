import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'
import { read, root } from '../support/source.js'
import { bundledLibraries } from './bundled-libraries.js'

interface Audit {
  /** Missing where no registry answered. */
  readonly vulnerabilities?: Readonly<Record<string, { readonly name: string; readonly severity: string }>>
  readonly message?: string
}

/** `npm audit` ends with an error if it has found something, and if no registry has answered. */
const audit = (): Promise<Audit> =>
  new Promise((resolve, reject) => {
    execFile('npm', ['audit', '--json'], { cwd: root }, (_error, stdout) => {
      try {
        resolve(JSON.parse(stdout) as Audit)
      } catch (cause) {
        reject(new Error(`npm audit printed: ${stdout}`, { cause }))
      }
    })
  })

test('no library that is installed with the package or bundled into it has a known vulnerability', async (context) => {
  const { vulnerabilities, message } = await audit()
  if (vulnerabilities === undefined) {
    console.warn(`The registry answers no audit (${message ?? 'no reason given'}), so it is SKIPPED`)
    context.skip()
    return
  }
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: object }
  const shipped = new Set([...Object.keys(dependencies), ...Object.keys(bundledLibraries())])
  const found = Object.values(vulnerabilities).filter(({ name }) => shipped.has(name))
  expect(found.map(({ name, severity }) => `${name}: ${severity}`)).toEqual([])
})
