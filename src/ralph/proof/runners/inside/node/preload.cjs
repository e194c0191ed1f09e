'use strict'
// Loaded into every Node program of a check; notices the runners of tests and lets all else be.
// A runner is asked to report in addition to what it does anyway. The syntax is that of an old Node.

const { isMainThread } = require('worker_threads')

const REPORTS = 'RALPH_TEST_REPORTS'
const LARGEST = 1 << 20

if (isMainThread && process.env[REPORTS] && !process.env.NODE_TEST_CONTEXT && !process.channel) {
  notice(process.env[REPORTS], process.argv[1] || '')
}

function notice(reports, script) {
  const place = script.split('\\').join('/')
  if (/\/(jest|jest-cli)\/bin\/jest\.js$|\/react-scripts\/scripts\/test\.js$/.test(real(place))) {
    jest(reports)
  } else if (/\/vitest\/vitest\.mjs$/.test(real(place))) {
    vitest(reports)
  } else if (/\/mocha\/bin\/_?mocha(\.m?js)?$/.test(real(place))) {
    mocha(reports, script)
  } else if (/\/ava\/(entrypoints\/)?cli\.m?js$/.test(real(place))) {
    ava()
  } else if (usesTestRunner(script)) {
    runner(reports)
  }
}

function real(place) {
  try {
    return require('fs').realpathSync(place)
  } catch {
    return place
  }
}

/** The report's path; an empty file beside it says that it was promised. */
function begin(reports, name) {
  const path = `${reports}/${name}-${process.pid}-${Date.now()}`
  try {
    require('fs').writeFileSync(`${path}.begun`, '')
  } catch {
    // Without the folder there is no report, and the tests run all the same.
  }
  hide(process.env)
  return `${path}.json`
}

/** What the tests start themselves is not to report. */
function hide(env) {
  delete env[REPORTS]
  const option = `--require=${JSON.stringify(__filename)}`
  const rest = (env.NODE_OPTIONS || '').replace(option, '').trim()
  if (rest) env.NODE_OPTIONS = rest
  else delete env.NODE_OPTIONS
}

function jest(reports) {
  const other = /^--(json|outputFile|watch|watchAll|version|help|listTests|showConfig|clearCache|init)\b|^-[hv]$/
  if (process.argv.some((word) => other.test(word))) return
  insert('--json', `--outputFile=${begin(reports, 'jest')}`)
}

function vitest(reports) {
  const other = /^--(outputFile|watch|version|help)\b|^-[hv]$/
  if (process.argv.some((word) => other.test(word))) return
  if (['bench', 'list', 'init', 'watch', 'dev'].includes(process.argv[2])) return
  const own = process.argv.some((word) => /^--reporters?\b/.test(word))
  const report = begin(reports, 'vitest')
  insert(...(own ? [] : ['--reporter=default']), '--reporter=json', `--outputFile.json=${report}`)
}

function isOfModules(script) {
  try {
    const { join, dirname } = require('path')
    const about = join(dirname(real(script)), '..', 'package.json')
    return JSON.parse(require('fs').readFileSync(about, 'utf8')).type === 'module'
  } catch {
    return false
  }
}

function mocha(reports, script) {
  const other = /^--(watch|version|help|list-\w+|inspect\S*)$|^-[whV]$/
  if (process.argv.some((word) => other.test(word))) return
  process.env.RALPH_MOCHA_REPORT = begin(reports, 'mocha')
  const modules = isOfModules(script)
  if (modules) process.env.RALPH_MOCHA_MODULES = '1'
  insert('--require', require('path').join(__dirname, modules ? 'mocha.mjs' : 'mocha.cjs'))
}

/** It has no second reporter: what it prints becomes the report. */
function ava() {
  const other = /^--(tap|watch|version|help)$|^-[twhv]$/
  if (process.argv[2] === 'debug' || process.argv.some((word) => other.test(word))) return
  hide(process.env)
  insert('--tap')
}

/** Add options where they end, before what is passed through. */
function insert(...options) {
  const end = process.argv.indexOf('--')
  process.argv.splice(end < 0 ? process.argv.length : end, 0, ...options)
}

function usesTestRunner(script) {
  if (process.execArgv.some((word) => word.startsWith('--watch'))) return false
  if (!process.allowedNodeEnvironmentFlags.has('--test-reporter')) return false
  if (process.execArgv.includes('--test')) return true
  if (!script || script.includes('/node_modules/')) return false
  try {
    const fs = require('fs')
    const path = require('path').resolve(script)
    const { size } = fs.statSync(path)
    return size <= LARGEST && /['"]node:test['"]/.test(fs.readFileSync(path, 'utf8'))
  } catch {
    return false
  }
}

/** Node reads its options before us, so it is started again with one more reporter. */
function runner(reports) {
  const url = require('url').pathToFileURL(require('path').join(__dirname, 'reporter.mjs'))
  url.searchParams.set('report', `${reports}/node-${process.pid}-${Date.now()}.jsonl`)
  const options = [...reporting(), `--test-reporter=${url}`, '--test-reporter-destination=stdout']
  const env = { ...process.env }
  hide(env)
  const { spawnSync } = require('child_process')
  const words = [...process.execArgv, ...options, ...process.argv.slice(1)]
  const done = spawnSync(process.execPath, words, { stdio: 'inherit', env })
  if (done.error) return
  if (done.signal) process.kill(process.pid, done.signal)
  process.exit(done.status === null ? 1 : done.status)
}

/** What keeps the output as it would be without us. */
function reporting() {
  const given = [...(process.env.NODE_OPTIONS || '').split(' '), ...process.execArgv]
  const count = (name) => given.filter((word) => word === name || word.startsWith(`${name}=`)).length
  const reporters = count('--test-reporter')
  if (count('--test-reporter-destination') >= Math.max(reporters, 1)) return []
  if (reporters) return ['--test-reporter-destination=stdout']
  const usual = Number.parseInt(process.versions.node, 10) >= 23 || process.stdout.isTTY
  return [`--test-reporter=${usual ? 'spec' : 'tap'}`, '--test-reporter-destination=stdout']
}
