<?php
// php vectors.php v1.tsv: goes through the public vectors, and says where the result differs.

require __DIR__ . '/hookwright.php';

$wrong = 0;
$rows = array_slice(file($argv[1], FILE_IGNORE_NEW_LINES), 1);
foreach ($rows as $line) {
    [$name, $scheme, $secrets, $headers, $body, $now, $expected] = explode("\t", $line);
    $fields = [];
    foreach (explode("\n", base64_decode($headers)) as $header) {
        [$field, $value] = explode(': ', $header, 2);
        $fields[$field] = $value;
    }
    $verify = $scheme === 'standard' ? 'hookwright_verify' : 'hookwright_verify_contract';
    $takes = $verify(base64_decode($body), $fields, explode("\n", base64_decode($secrets)), (int) $now);
    if ($takes !== ($expected === 'ok')) {
        $wrong++;
        echo "$name: ", var_export($takes, true), "\n";
    }
}
echo count($rows), " vectors, $wrong wrong\n";
exit($wrong === 0 ? 0 : 1);
