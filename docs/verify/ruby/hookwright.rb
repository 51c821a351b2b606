# frozen_string_literal: true

require "openssl"

# Verifies deliveries of Hookwright with the standard library alone: Ruby 2.7 and later.
module Hookwright
  TOLERANCE_SECONDS = 300

  module_function

  # Whether a delivery is genuine and fresh, by the headers of Standard Webhooks.
  #
  # raw_body: the bytes as they came (Rails: request.raw_post, Rack: request.body.read)
  # headers: request.headers of Rails, or the env of Rack
  # secrets: whsec_…; while you change it, the old one and the new one
  def verify(raw_body, headers, *secrets, now: Time.now.to_i)
    values = named(headers)
    id, timestamp, signature = values.values_at("webhook-id", "webhook-timestamp", "webhook-signature")
    return false if id.to_s.empty? || !fresh?(timestamp, now)

    signed = "#{id}.#{timestamp}.".b + raw_body.b
    secrets.any? do |secret|
      expected = "v1,#{[OpenSSL::HMAC.digest("SHA256", key(secret), signed)].pack("m0")}"
      signature.to_s.split.any? { |entry| OpenSSL.secure_compare(entry, expected) }
    end
  end

  # The same by X-Service-Signature, which does not cover id and time: prefer verify.
  def verify_contract(raw_body, headers, *secrets, now: Time.now.to_i)
    values = named(headers)
    return false unless fresh?(values["x-service-timestamp"], now)

    secrets.any? do |secret|
      expected = "sha256=#{OpenSSL::HMAC.hexdigest("SHA256", secret, raw_body)}"
      OpenSSL.secure_compare(values["x-service-signature"].to_s, expected)
    end
  end

  # A secret that came with webhooks of another service may be a text without whsec_.
  def key(secret)
    secret.start_with?("whsec_") ? secret.delete_prefix("whsec_").unpack1("m0") : secret
  end

  def named(headers)
    headers.to_h.transform_keys { |name| name.to_s.downcase.tr("_", "-").delete_prefix("http-") }
  end

  def fresh?(timestamp, now)
    timestamp.to_s.match?(/\A[0-9]{1,12}\z/) && (now - timestamp.to_i).abs <= TOLERANCE_SECONDS
  end
end
