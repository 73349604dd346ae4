/**
 * Carries out a Dockerfile without a container runtime: `build-image.mjs <base> <context> <out>`, in a mount namespace of
 * its own (`unshare --mount`), so that no mount outlives it. Each stage is a layer over the folder `base`, which stands for
 * the image that the stage is made from; `FROM scratch` is the folder `<out>/root`. What the image says besides its files
 * is written to `<out>/image.json`.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { readDockerfile } from './dockerfile.mjs'

const [base, context, out] = process.argv.slice(2).map((path) => resolve(path))

const stages = new Map()
const image = { env: {}, workdir: '/', user: '', entrypoint: [], cmd: [], expose: [] }

function build({ image: from, name, instructions }) {
  const isLast = from === 'scratch'
  // A stage that takes nothing of the context is the same for every image.
  const usesContext = instructions.some((one) => one.keyword === 'COPY' && one.from === undefined)
  const key = createHash('sha256').update(JSON.stringify(instructions)).digest('hex').slice(0, 16)
  const place = isLast
    ? join(out, 'root')
    : usesContext
      ? join(out, `stage-${name}`)
      : join(dirname(base), `stage-${key}`)
  const done = `${place}.done`
  const root = isLast ? place : mountLayer(place)
  stages.set(name, root)
  if (existsSync(done)) return
  mkdirSync(root, { recursive: true })
  const state = { env: {}, workdir: '/' }
  for (const instruction of instructions) steps[instruction.keyword](instruction, root, state)
  if (isLast) Object.assign(image, state)
  else if (!usesContext) writeFileSync(done, '')
}

const steps = {
  RUN({ command }, root, { env, workdir }) {
    runIn(root, workdir, env, command)
  },
  COPY({ from, chmod, sources, to }, root, { workdir }) {
    const origin = from === undefined ? context : stages.get(from)
    if (origin === undefined) throw new Error(`There is no stage ${from}`)
    const ignored = from === undefined ? ignoredFiles() : () => false
    const target = join(root, resolve(workdir, to))
    const found = sources.flatMap((source) => matching(join(origin, source)))
    if (found.length === 0) throw new Error(`COPY finds no ${sources.join(' ')}`)
    for (const path of found) {
      if (statSync(path).isDirectory()) copyContents(path, target, ignored)
      else copyFile(path, to.endsWith('/') ? join(target, basename(path)) : target)
    }
    if (chmod !== undefined) run('chmod', '--recursive', chmod, target)
  },
  ENV: ({ variables }, _root, state) => Object.assign(state.env, variables),
  WORKDIR({ path }, root, state) {
    state.workdir = resolve(state.workdir, path)
    mkdirSync(join(root, state.workdir), { recursive: true })
  },
  USER: ({ user }, _root, state) => Object.assign(state, { user }),
  EXPOSE: ({ port }, _root, state) => Object.assign(state, { expose: [...(state.expose ?? []), port] }),
  ENTRYPOINT: ({ words }, _root, state) => Object.assign(state, { entrypoint: words }),
  CMD: ({ words }, _root, state) => Object.assign(state, { cmd: words }),
}

/** A copy of `base` that can be written: only what changes takes room. */
function mountLayer(place) {
  const [upper, work, merged] = ['upper', 'work', 'merged'].map((name) => join(place, name))
  for (const path of [upper, work, merged]) mkdirSync(path, { recursive: true })
  run('mount', '-t', 'overlay', 'overlay', '-o', `lowerdir=${base},upperdir=${upper},workdir=${work}`, merged)
  return merged
}

function runIn(root, workdir, env, command) {
  run('mount', '-t', 'proc', 'proc', join(root, 'proc'))
  run('mount', '--rbind', '/dev', join(root, 'dev'))
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  const proxies = Object.fromEntries(Object.entries(process.env).filter(([name]) => /_proxy$/i.test(name)))
  try {
    execFileSync('chroot', [root, '/bin/sh', '-c', `cd "$0" && ${command}`, workdir], {
      env: { PATH: path, HOME: '/root', DEBIAN_FRONTEND: 'noninteractive', ...proxies, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
  } finally {
    run('umount', '--lazy', join(root, 'proc'))
    run('umount', '--recursive', '--lazy', join(root, 'dev'))
  }
}

const copyFile = (path, target) => {
  mkdirSync(dirname(target), { recursive: true })
  run('cp', '--archive', path, target)
}

function copyContents(path, target, isIgnored) {
  mkdirSync(target, { recursive: true })
  for (const entry of readdirSync(path)) {
    if (!isIgnored(entry)) run('cp', '--archive', join(path, entry), target)
  }
}

/** The top of the context is all that the rules of `init` speak of. */
function ignoredFiles() {
  const path = join(context, '.dockerignore')
  const rules = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  const patterns = rules.filter((rule) => rule !== '' && !rule.startsWith('#'))
  const names = new Set(patterns.flatMap((pattern) => matching(join(context, pattern)).map((one) => basename(one))))
  return (name) => names.has(name)
}

/** The paths that a pattern with `*` in its last part stands for. */
function matching(pattern) {
  const [folder, name] = [dirname(pattern), basename(pattern)]
  const parts = name.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const expression = new RegExp(`^${parts.join('.*')}$`)
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((entry) => expression.test(entry))
    .map((entry) => join(folder, entry))
}

function run(command, ...args) {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

for (const stage of readDockerfile(readFileSync(join(context, 'Dockerfile'), 'utf8'))) build(stage)
writeFileSync(join(out, 'image.json'), JSON.stringify(image))
