# region file
cat > second-card.yaml <<'END'
# yaml-language-server: $schema=https://pay.example.com/docs/scenario.schema.json
cobro: 1
steps:
  - id: session
    call: checkout.sessions.create
    with:
      amount_total: 25000
      success_url: https://shop.example/thanks
      metadata: { order: A-42 }
  - pay: ${session.id}
    card: "4000000000009995"
    expect: { declined: insufficient_funds }
  - pay: ${session.id}
    card: "4242424242424242"
  - id: approved
    await: payment.approved
    where: { data.metadata.order: A-42 }
    within: 10s
  - call: transactions.refund
    with: { id: "${approved.data.id}" }
  - id: refunded
    await: payment.refunded
    where: { data.id: "${approved.data.id}" }
END
# endregion

# region run
cobro run second-card.yaml > results.json
# endregion

# region progress
cobro run second-card.yaml 2>&1 > results.json | sed -E 's/after [0-9]+ ms/after 84 ms/'
# endregion

# region cash
cobro run - <<'END' > results.json
cobro: 1
steps:
  - { id: link, call: paymentLinks.create, with: { amount_cents: 25000, concepto: Curso, payment_method_types: [cash] } }
  - { id: voucher, payInCash: "${link.data.id}" }
  - { call: sandbox.payVoucher, with: { reference: "${voucher.voucher.reference}" } }
  - { await: payment_link.paid, where: { data.id: "${link.data.id}" } }
  - call: transactions.list
    with: { payment_link_id: "${link.data.id}" }
    until: { data.0.status: [approved, refunded] }
    within: 5s
END
# endregion

# region set
cobro run second-card.yaml --set session.amount_total=9900 --quiet > results.json
# endregion

# region mistake
sed 's/payment.refunded/payment.refund/' second-card.yaml > mistake.yaml
cobro run mistake.yaml 2>&1 || echo "Exit code $?"
# endregion
