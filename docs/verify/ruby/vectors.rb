# frozen_string_literal: true

# ruby vectors.rb v1.tsv: goes through the public vectors, and says where the result differs.

require_relative "hookwright"

def takes?(scheme, secrets, headers, body, now)
  check = scheme == "standard" ? :verify : :verify_contract
  fields = headers.lines(chomp: true).to_h { |line| line.split(": ", 2) }
  Hookwright.public_send(check, body, fields, *secrets.lines(chomp: true), now: now)
rescue ArgumentError # a damaged secret
  false
end

rows = File.readlines(ARGV.fetch(0), chomp: true).drop(1).map { |line| line.split("\t") }
wrong = rows.count do |name, scheme, secrets, headers, body, now, expected|
  result = takes?(scheme, *[secrets, headers, body].map { |text| text.unpack1("m0") }, now.to_i)
  puts "#{name}: #{result}" if result != (expected == "ok")
  result != (expected == "ok")
end
puts "#{rows.size} vectors, #{wrong} wrong"
exit wrong.zero?
