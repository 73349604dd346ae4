/** A project as the starter of its kind writes it, reduced to what init can see. */
export interface Starter {
  readonly content?: object
  readonly files: Readonly<Record<string, string>>
}

const json = (content: object): string => JSON.stringify(content)

export const nest: Starter = {
  content: {
    name: 'quiz',
    version: '0.0.1',
    scripts: {
      build: 'nest build',
      format: 'prettier --write "src/**/*.ts" "test/**/*.ts"',
      start: 'nest start',
      'start:dev': 'nest start --watch',
      'start:debug': 'nest start --debug --watch',
      'start:prod': 'node dist/main',
    },
    dependencies: { '@nestjs/common': '^11.0.0', '@nestjs/core': '^11.0.0', '@nestjs/websockets': '^11.0.0' },
    devDependencies: { '@nestjs/cli': '^11.0.0', '@types/node': '^22.0.0', typescript: '^5.7.0' },
  },
  files: {
    'nest-cli.json': json({ sourceRoot: 'src' }),
    'src/main.ts': "import { NestFactory } from '@nestjs/core'\n",
  },
}

export const bun: Starter = {
  content: {
    name: 'relay',
    module: 'index.ts',
    type: 'module',
    private: true,
    scripts: { dev: 'bun --hot index.ts', start: 'bun run index.ts' },
    devDependencies: { '@types/bun': 'latest' },
    peerDependencies: { typescript: '^5' },
  },
  files: { 'bun.lock': '{}', 'index.ts': 'Bun.serve({ port: 3000, fetch: () => new Response() })\n' },
}

export const colyseus: Starter = {
  content: {
    name: 'my-app',
    version: '1.0.0',
    private: true,
    main: 'build/index.js',
    engines: { node: '>= 20.9.0' },
    scripts: {
      start: 'tsx watch src/index.ts',
      loadtest: 'tsx loadtest/example.ts --room my_room --numClients 2',
      build: 'npm run clean && tsc',
      clean: 'rimraf build',
    },
    dependencies: { '@colyseus/core': '^0.16.0', '@colyseus/tools': '^0.16.0', '@colyseus/ws-transport': '^0.16.0' },
    devDependencies: { '@types/express': '^4', rimraf: '^5', tsx: '^4', typescript: '^5' },
  },
  files: {
    'src/index.ts': "import { listen } from '@colyseus/tools'\nimport app from './app.config'\n",
    'src/app.config.ts': '',
  },
}

/** The program is that of fastify-cli, which loads app.js as a plugin. */
export const fastifyCli: Starter = {
  content: {
    name: 'lobby',
    main: 'app.js',
    scripts: { start: 'fastify start -l info app.js', dev: 'fastify start -w -l info -P app.js' },
    dependencies: { fastify: '^5.0.0', 'fastify-cli': '^7.0.0', 'fastify-plugin': '^5.0.0' },
  },
  files: { 'app.js': 'module.exports = async () => undefined\n' },
}

export const fastify: Starter = {
  content: {
    name: 'lobby',
    type: 'module',
    scripts: { start: 'node .' },
    main: 'server.js',
    dependencies: { fastify: '^5.0.0' },
  },
  files: { 'server.js': "import Fastify from 'fastify'\n" },
}

export const workspace: Starter = {
  content: {
    name: 'arena',
    private: true,
    workspaces: ['client', 'packages/*'],
    scripts: {
      dev: 'concurrently "npm run dev -w client" "npm run dev -w packages/server"',
      start: 'npm run start --workspace=packages/server',
      build: 'npm run build --workspaces --if-present',
    },
  },
  files: {
    'client/package.json': json({ name: 'client', scripts: { build: 'vite build' }, devDependencies: { vite: '^8' } }),
    'client/index.html': '',
    'packages/shared/package.json': json({ name: 'shared', main: 'index.js' }),
    'packages/shared/index.js': '',
    'packages/server/package.json': json({
      name: '@arena/server',
      scripts: { build: 'tsc', start: 'node ./dist/index.js' },
      dependencies: { ws: '^8', shared: '*' },
    }),
    'packages/server/src/index.ts': "import { WebSocketServer } from 'ws'\n",
  },
}

export const tsc: Starter = {
  content: {
    name: 'ts-game',
    version: '1.0.0',
    scripts: { build: 'tsc', start: 'node dist/main' },
    dependencies: { 'uWebSockets.js': 'github:uNetworking/uWebSockets.js#v20.51.0' },
    devDependencies: { typescript: '^5.7.0' },
  },
  files: { 'src/main.ts': "import { App } from 'uWebSockets.js'\n", 'tsconfig.json': '{}' },
}

export const commonJs: Starter = {
  content: {
    name: 'four',
    version: '1.0.0',
    main: 'index.js',
    scripts: { start: 'npm run serve', serve: 'NODE_ENV=production node index.js', test: 'jest' },
    dependencies: { express: '^4', ws: '^8' },
  },
  files: { 'index.js': "const { WebSocketServer } = require('ws')\n", 'public/index.html': '' },
}

export const deno: Starter = {
  files: {
    'deno.json': '{\n  // Started by the platform.\n  "tasks": { "start": "deno run --allow-net main.ts", },\n}\n',
    'main.ts': 'Deno.serve(() => new Response())\n',
  },
}
