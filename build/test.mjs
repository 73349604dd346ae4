/**
 * `npm test`: checks the types while the tests run, since the compiler uses one core. Arguments go to Vitest. The
 * compiler's errors are printed after the tests, where they are seen.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs a script of package.json to its end. Resolves with its exit code. */
async function run(script, args, stdio) {
  const child = spawn('npm', ['run', '--silent', script, '--', ...args], { stdio, shell: process.platform === 'win32' })
  const output = []
  child.stdout?.on('data', (data) => output.push(data))
  child.stderr?.on('data', (data) => output.push(data))
  const [code] = await once(child, 'close')
  return { code: code ?? 1, output: Buffer.concat(output).toString() }
}

const types = run('typecheck', [], ['ignore', 'pipe', 'pipe'])
const tests = await run('vitest', ['--project', 'source', '--project', 'built', ...process.argv.slice(2)], 'inherit')
const { code, output } = await types
if (code !== 0) process.stderr.write(`npm run typecheck has found:\n${output}`)
process.exitCode = tests.code || code
