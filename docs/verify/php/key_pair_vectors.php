<?php
// php key_pair_vectors.php v2.tsv: goes through the public vectors of key pairs, and says where the result differs.

require __DIR__ . '/hookwright_key_pair.php';

$wrong = 0;
$rows = array_slice(file($argv[1], FILE_IGNORE_NEW_LINES), 1);
foreach ($rows as $line) {
    [$name, $keys, $headers, $body, $now, $expected] = explode("\t", $line);
    $fields = [];
    foreach (explode("\n", base64_decode($headers)) as $header) {
        [$field, $value] = explode(': ', $header, 2);
        $fields[$field] = $value;
    }
    $publicKeys = array_map('base64_decode', explode("\n", base64_decode($keys)));
    $takes = hookwright_verify_by_key(base64_decode($body), $fields, $publicKeys, (int) $now);
    if ($takes !== ($expected === 'ok')) {
        $wrong++;
        echo "$name: ", var_export($takes, true), "\n";
    }
}
echo count($rows), " vectors, $wrong wrong\n";
exit($wrong === 0 ? 0 : 1);
