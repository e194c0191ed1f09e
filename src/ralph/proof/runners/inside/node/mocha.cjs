'use strict'
// Required by mocha before any test: writes what became of each test when one fails and when the run
// is over, in the form in which jest does. It states facts and judges nothing.

const fs = require('fs')
const path = require('path')

const REPORT = 'RALPH_MOCHA_REPORT'
const MODULES = 'RALPH_MOCHA_MODULES'
const report = process.env[REPORT]
const modules = process.env[MODULES]
delete process.env[REPORT]
delete process.env[MODULES]
const PAUSE = 500
let written = 0

module.exports = { place, watch }
if (report && !modules) watch(require(place()))

/** The runner of the mocha that was started, whose folder is around the program. */
function place() {
  let folder = path.dirname(fs.realpathSync(process.argv[1]))
  while (!fs.existsSync(path.join(folder, 'lib', 'runner.js'))) {
    const above = path.dirname(folder)
    if (above === folder) return null
    folder = above
  }
  return path.join(folder, 'lib', 'runner.js')
}

function watch(Runner) {
  if (!Runner || !report) return
  const seen = new Map()
  const emit = Runner.prototype.emit
  Runner.prototype.emit = function (name, ...values) {
    if (name === 'pass' || name === 'fail' || name === 'pending') note(seen, name, ...values)
    if (name === 'end') finish(seen)
    else if (name === 'fail' && isDue()) finish(seen, true)
    return emit.call(this, name, ...values)
  }
}

/** Where much fails, the report is not written for each of them. */
function isDue() {
  if (Date.now() - written < PAUSE) return false
  written = Date.now()
  return true
}

function note(seen, name, test, error) {
  const titles = test.titlePath()
  const key = JSON.stringify([test.file, titles])
  const known = seen.get(key) || []
  const status = { pass: 'passed', fail: 'failed', pending: 'pending' }[name]
  const message = error ? String((error && error.message) || error).slice(0, 2000) : ''
  const line = { file: test.file || '', titles, status, duration: test.duration || 0, message }
  // the same test may be said to pass and then to fail; one that is there twice is two
  const same = known.find((one) => one.test === test)
  if (same) Object.assign(same, same.status === 'failed' ? {} : line)
  else seen.set(key, [...known, { ...line, test }])
}

function finish(seen, wasInterrupted = false) {
  const files = new Map()
  for (const lines of seen.values()) {
    for (const one of lines) {
      const results = files.get(one.file) || []
      files.set(one.file, results)
      results.push({
        title: one.titles[one.titles.length - 1] || '',
        ancestorTitles: one.titles.slice(0, -1),
        status: one.status,
        duration: one.duration,
        failureMessages: one.message ? [one.message] : []
      })
    }
  }
  const testResults = [...files].map(([name, assertionResults]) => ({
    name,
    status: assertionResults.some((one) => one.status === 'failed') ? 'failed' : 'passed',
    assertionResults
  }))
  fs.writeFileSync(`${report}.part`, JSON.stringify({ testResults, wasInterrupted }))
  fs.renameSync(`${report}.part`, report)
}
