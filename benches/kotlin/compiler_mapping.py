#!/usr/bin/env python3
"""Makes a large mapping file, of about 31 MB: that of the Kotlin compiler in PyPI's kotlin-jupyter-kernel, obfuscated by ProGuard
(Debian: proguard-cli 6.2.2). Takes minutes and 5 GB of memory. For `cargo bench --bench figures -- --debugging`.

    benches/kotlin/compiler_mapping.py KERNEL.whl MAPPING.txt
"""
import pathlib, shutil, subprocess, sys, tempfile, zipfile

wheel, target = map(pathlib.Path, sys.argv[1:])
out = pathlib.Path(tempfile.mkdtemp())
with zipfile.ZipFile(wheel) as kernel:
    largest = max(kernel.namelist(), key=lambda name: kernel.getinfo(name).file_size if name.endswith(".jar") else 0)
    (out / "compiler.jar").write_bytes(kernel.read(largest))
(out / "rules.pro").write_text("""-injars compiler.jar(org/jetbrains/**.class)
-outjars out.jar
-dontwarn **
-dontnote **
-dontshrink
-dontoptimize
-dontpreverify
-ignorewarnings
-keepattributes SourceFile,LineNumberTable
-renamesourcefileattribute SourceFile
-printmapping mapping.txt
-repackageclasses ''
""")
subprocess.run(["java", "-Xmx5g", "-jar", "/usr/share/java/proguard.jar", "@rules.pro"], cwd=out, check=True, stdout=sys.stderr)
shutil.move(out / "mapping.txt", target)
shutil.rmtree(out)
